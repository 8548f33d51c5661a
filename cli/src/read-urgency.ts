// The options --lane and --ttl of a message.

import { readDurationMs, type Lane } from "@aos/protocol/words";
import type { Options } from "./command.ts";
import { readLane } from "./read-lane.ts";

export function readUrgency(options: Options): { lane?: Lane; ttlMs?: number } {
  const lane = options.text("lane");
  const ttl = options.text("ttl");
  return {
    ...(lane === undefined ? {} : { lane: readLane(lane) }),
    ...(ttl === undefined ? {} : { ttlMs: readDurationMs(ttl) }),
  };
}
