// Child: each measurement of ours runs in a process of its own, as each peer does.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HEAP_FLAGS } from "../cli/src/heap-flags.ts";

/** What releases without a file of flags were run with, daemons and benches. */
const FLAGS_BEFORE = ["--max-semi-space-size=16"];

/** As the daemon of a checkout is run. */
async function flagsOf(checkout: string | undefined): Promise<readonly string[]> {
  if (checkout === undefined) return HEAP_FLAGS;
  const file = join(checkout, "cli/src/heap-flags.ts");
  if (!existsSync(file)) return FLAGS_BEFORE;
  return ((await import(pathToFileURL(file).href)) as { HEAP_FLAGS: readonly string[] }).HEAP_FLAGS;
}

/** The daemon keeps what V8 has compiled; without that, most of a boot is reading TypeScript. */
const COMPILE_CACHE = join(tmpdir(), "aos-bench-compile-cache");

/** Runs the bench of a checkout, or ours on its kernel (`of`), with the flags of its daemon. */
export async function inChild<T = number>(
  bench: string,
  options: Record<string, unknown>,
  checkout?: string,
  of = checkout,
): Promise<T> {
  const script =
    checkout === undefined
      ? fileURLToPath(new URL("./ours.ts", import.meta.url))
      : join(checkout, "bench/ours.ts");
  const words = ["--expose-gc", script, bench, JSON.stringify(options)];
  const flags = options["heap"] === "node" ? [] : await flagsOf(of);
  const child = spawn(process.execPath, [...flags, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`the ${bench} bench ended with ${code}`);
  return (JSON.parse(text) as { result: T }).result;
}
