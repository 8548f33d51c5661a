// A run for tests: the streams of a host that a test speaks for.

import { PassThrough } from "node:stream";
import type { Json } from "@aos/protocol";
import type { RunEnding, SandboxedRun } from "../../../drivers/src/sandbox/index.ts";
import type { ToHost } from "../../../drivers/src/tool-host/host-protocol.ts";

const ENDED: RunEnding = {
  code: 0,
  signal: null,
  isAborted: false,
  stdout: "",
  stderr: "",
  isCut: false,
  usage: { wallMs: 0, cpuMs: null, memoryBytes: null },
};

export interface RunForTest extends SandboxedRun {
  /** What it was told so far. */
  readonly told: ToHost[];
  readonly isKilled: () => boolean;
  says(id: number | string, method: string, params: Json): void;
  prints(text: string): void;
  complains(text: string): void;
  ends(how?: Partial<RunEnding>): void;
}

export function runForTest(): RunForTest {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const told: ToHost[] = [];
  stdin.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().split("\n"))
      if (line !== "") told.push(JSON.parse(line) as ToHost);
  });
  const { promise, resolve } = Promise.withResolvers<RunEnding>();
  let isKilled = false;
  return {
    pid: 1,
    stdin,
    stdout,
    stderr,
    ended: promise,
    kill: () => {
      isKilled = true;
      setTimeout(() => resolve({ ...ENDED, isAborted: true }), 5); // nothing is gone at once
    },
    told,
    isKilled: () => isKilled,
    says: (id, method, params) =>
      void stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    prints: (text) => void stdout.write(text),
    complains: (text) => void stderr.write(text),
    ends: (how = {}) => resolve({ ...ENDED, ...how }),
  };
}
