// Where a photo can be shown from: its public address, or what its people have read of it.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { publicPhoto } from '../../lib/photoAddress.ts'
import { type PhotoBucket, photoQuery } from '../../lib/photos.ts'

/** `src` is undefined while the photo is read; `again` reads it once more after it could not be. */
export function usePhoto(bucket: PhotoBucket, name: string, { small = false } = {}) {
  const isPublic = bucket === 'task-photos'
  const photo = useQuery({ ...photoQuery(bucket, name), enabled: !isPublic })
  const own = useObjectUrl(photo.data)
  return {
    src: isPublic ? publicPhoto(name, { small }) : own,
    failed: photo.isError,
    again: photo.refetch,
  }
}

/** An address of the page's own for a picture, as long as it is shown. */
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return address
}
