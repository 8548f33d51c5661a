// A time to live as one word: hops=3,wall=10m

import { readCount, readDurationMs, SysError } from "@aos/protocol/words";

interface Ttl {
  readonly hops?: number;
  readonly wallMs?: number;
}

const limits: Readonly<Record<string, (text: string) => Ttl>> = {
  hops: (text) => ({ hops: readCount(text) }),
  wall: (text) => ({ wallMs: readDurationMs(text) }),
};

export function readTtl(text: string): Ttl {
  return Object.assign({}, ...text.split(",").map(readLimit)) as Ttl;
}

function readLimit(part: string): Ttl {
  const [name = "", value = ""] = part.split("=", 2).map((word) => word.trim());
  const read = Object.hasOwn(limits, name) ? limits[name] : undefined;
  if (read === undefined) throw refusal(`there is no limit ${JSON.stringify(name)}`);
  try {
    return read(value);
  } catch (error) {
    throw refusal(`${name}: ${(error as Error).message}`);
  }
}

const refusal = (problem: string): SysError =>
  new SysError("EINVAL", `--ttl: ${problem}`, { hint: "write it like hops=3,wall=10m" });
