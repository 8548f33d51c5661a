// Format: sizes and lists of names for people.

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];
const MOST_NAMES = 20;

export function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const amount = bytes / 1024 ** step;
  return `${step === 0 ? amount : amount.toFixed(1)} ${UNITS[step]}`;
}

export function joinNames(names: readonly string[]): string {
  const said = names.slice(0, MOST_NAMES).map(plain).join(", ");
  return names.length > MOST_NAMES ? `${said} and ${names.length - MOST_NAMES} more` : said;
}

/** A file name chosen by an agent could move the cursor of the reader's terminal. */
const plain = (name: string): string =>
  name.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (odd) => `\\u{${odd.codePointAt(0)!.toString(16)}}`,
  );
