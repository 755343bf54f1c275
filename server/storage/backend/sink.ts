// The end of an upload on disk: takes a stream's chunks in as few writes as it can, counts them, and syncs the file
// before it says that it is done.
import { type FileHandle, open } from 'node:fs/promises'
import { finished, type Readable, Writable } from 'node:stream'
import { TooLarge } from './backend.ts'

/**
 * How much is gathered while a write is under way: more means fewer writes, but memory that the processor has let go
 * of before it is read again, which costs twice what it saves.
 */
const GATHERED = 128 * 1024

/** Every so many bytes the disk is told to begin, so that little is left to wait for at the end. */
const SYNCED_AT_ONCE = 2 * 1024 * 1024