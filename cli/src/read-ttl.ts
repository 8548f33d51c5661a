// A time to live as one word: hops=3,wall=10m

import { readCount, readDurationMs } from "@aos/protocol/words";
import { readLimits, type LimitReaders } from "./read-limits.ts";

interface Ttl {
  readonly hops?: number;
  readonly wallMs?: number;
}

const limits: LimitReaders<Ttl> = {
  hops: (text) => ({ hops: readCount(text) }),
  wall: (text) => ({ wallMs: readDurationMs(text) }),
};

const OPTION = { name: "--ttl", example: "hops=3,wall=10m" };

export const readTtl = (text: string): Ttl => readLimits(text, limits, OPTION);
