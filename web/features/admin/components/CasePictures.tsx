// The photos of one part of a case in a row, each as large as the window at a click; nothing where there are none.
import { formatNumber } from '../../../lib/format.ts'
import { PrivatePicture } from './PrivatePicture.tsx'

type CasePicturesProps = { bucket: 'task-photos' | 'booking-photos'; paths: string[]; label: string }

export function CasePictures({ bucket, paths, label }: CasePicturesProps) {
  if (paths.length === 0) return null
  return (
    <>
      {/* Their uploader matters for the decision of a case. */}
      <p className="mt-3 text-sm text-ink-soft">
        <bdi>{label}</bdi>
      </p>
      <ul className="mt-1 flex flex-wrap gap-3">
        {paths.map((path, index) => (
          <li key={path}>
            <PrivatePicture bucket={bucket} path={path} label={`${label} (${formatNumber(index + 1)})`} />
          </li>
        ))}
      </ul>
    </>
  )
}
