// Child: each measurement of ours runs in a process of its own, as each peer does.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HEAP_FLAGS } from "../cli/src/heap-flags.ts";

export async function inChild<T = number>(
  bench: string,
  options: Record<string, unknown>,
  checkout?: string,
): Promise<T> {
  const script =
    checkout === undefined
      ? fileURLToPath(new URL("./ours.ts", import.meta.url))
      : join(checkout, "bench/ours.ts");
  const child = spawn(
    process.execPath,
    [...HEAP_FLAGS, "--expose-gc", script, bench, JSON.stringify(options)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`the ${bench} bench ended with ${code}`);
  return (JSON.parse(text) as { result: T }).result;
}
