// Locks: the numbers of our advisory locks. They are held to the end of a transaction.

export const locks = {
  /** One node migrates. */
  migration: 0x616f7301,
  /** Shared by those who put blobs, alone for who drops unused ones: a blob that is being used anew
   * while it is dropped would be lost. */
  blobs: 0x616f7302,
  /** One node removes the rows of compacted runs. */
  removal: 0x616f7303,
} as const;
