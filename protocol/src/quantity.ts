// Quantities as people write them: `30s`, `200k`, `1MiB`. The name of each function has the unit of its result.

const DURATION_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const COUNT: Record<string, number> = { "": 1, k: 1000, M: 1_000_000 };
const BYTES: Record<string, number> = {
  "": 1,
  B: 1,
  kB: 1000,
  MB: 1e6,
  GB: 1e9,
  k: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

function read(
  text: string | number,
  units: Record<string, number>,
  what: string,
  bare: number | null,
): number {
  if (typeof text === "number") {
    if (bare !== null && Number.isFinite(text) && text >= 0) return text * bare;
    throw new Error(
      `${what} needs a unit: one of ${Object.keys(units).filter(Boolean).join(", ")}`,
    );
  }
  const parts = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text.trim());
  const unit = parts === null || !Object.hasOwn(units, parts[2]!) ? undefined : units[parts[2]!];
  if (parts === null || unit === undefined || (parts[2] === "" && bare === null)) {
    const names = Object.keys(units).filter(Boolean).join(", ");
    throw new Error(`"${text}" is not ${what}: a number and one of ${names}`);
  }
  return Number(parts[1]) * unit;
}

export const readDurationMs = (text: string | number): number =>
  read(text, DURATION_MS, "a duration", null);
export const readCount = (text: string | number): number =>
  Math.floor(read(text, COUNT, "a count", 1));
export const readBytes = (text: string | number): number =>
  Math.floor(read(text, BYTES, "a size", 1));
