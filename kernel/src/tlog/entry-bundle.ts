// An entry bundle: the entries of one level-0 tile, each behind its length as a big-endian uint16.
//
//   encodeEntries(entries)         bytes; bundles are joined by joining their bytes
//   decodeEntries(bundle, count)   exactly that many entries, or an Error
//
// ENTRY-BUNDLE-1  Decoding uses every byte: two different bundles never decode to the same entries.

export const MAX_ENTRY_BYTES = 0xffff;

const LENGTH_BYTES = 2;

export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = entries.reduce((sum, entry) => sum + LENGTH_BYTES + entry.length, 0);
  const bundle = Buffer.alloc(bytes);
  let at = 0;
  for (const entry of entries) {
    at = bundle.writeUInt16BE(entry.length, at);
    bundle.set(entry, at);
    at += entry.length;
  }
  return bundle;
}

export function decodeEntries(bundle: Uint8Array, count: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  const view = new DataView(bundle.buffer, bundle.byteOffset, bundle.byteLength);
  let at = 0;
  while (entries.length < count) {
    if (at + LENGTH_BYTES > bundle.length) throw tooShort(entries.length, count);
    const end = at + LENGTH_BYTES + view.getUint16(at);
    if (end > bundle.length) throw tooShort(entries.length, count);
    entries.push(bundle.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  if (at !== bundle.length) {
    throw new Error(`has ${bundle.length - at} bytes behind its ${count} entries`);
  }
  return entries;
}

function tooShort(found: number, count: number): Error {
  return new Error(`ends after ${found} of its ${count} entries`);
}
