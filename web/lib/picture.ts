// Pictures in the browser, drawn anew: what the camera wrote into the file (where it was taken, say) stays behind.

/** A part of a picture at a size, as a JPEG; null when the browser cannot. Closes the picture. Sizes in pixels. */
export async function toJpeg(
  picture: ImageBitmap,
  part: { x: number; y: number; width: number; height: number },
  size: { width: number; height: number },
  quality: number,
): Promise<Blob | null> {
  const canvas = document.createElement('canvas')
  canvas.width = size.width
  canvas.height = size.height
  const context = canvas.getContext('2d')
  if (!context) return null
  // JPEG knows no transparency; without this it would turn black.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, size.width, size.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, part.x, part.y, part.width, part.height, 0, 0, size.width, size.height)
  picture.close()
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
}
