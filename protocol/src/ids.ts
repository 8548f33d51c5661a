// Ids: external names of things. They are unique, sort by creation time, and have a prefix for their kind. Inside the
// store a process also has a small integer key, which is never shown.

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type ProcessId = Branded<"ProcessId">;
export type TenantName = Branded<"TenantName">;
export type BlobDigest = Branded<"BlobDigest">;

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

/** 26 characters: 48 bits of milliseconds, then 80 random bits. */
function sortableText(timeMs: number, random: Uint8Array): string {
  let time = "";
  let rest = timeMs;
  for (let i = 0; i < 10; i++) {
    time = CROCKFORD[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let tail = "";
  let bits = 0;
  let held = 0;
  for (const byte of random) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      tail += CROCKFORD[(held >> bits) & 31];
      held &= (1 << bits) - 1;
    }
  }
  return time + tail;
}

export function newId<Prefix extends string>(
  prefix: Prefix,
  timeMs: number,
  random: Uint8Array,
): `${Prefix}_${string}` {
  return `${prefix}_${sortableText(timeMs, random)}`;
}

export const newProcessId = (timeMs: number, random: Uint8Array): ProcessId =>
  newId("agt", timeMs, random) as string as ProcessId;

const PROCESS_ID = /^agt_[0-9a-hjkmnp-tv-z]{26}$/;

export const isProcessId = (text: string): text is ProcessId => PROCESS_ID.test(text);

export const DEFAULT_TENANT = "default" as TenantName;
