// Nodes in processes of their own, on one database, that can be paused, killed and asked.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { dirname, join } from "node:path";
import type { Kernel } from "@aos/kernel";
import type { NodeOptions } from "./node.program.ts";

export class Node {
  readonly troubles: { trouble: string; code?: string }[] = [];
  readonly #process: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (ok: never) => void; reject: (e: Error) => void }
  >();
  #asked = 0;
  readonly #gone: Promise<void>;

  constructor(options: NodeOptions) {
    const program = join(import.meta.dirname, "node.program.ts");
    this.#process = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#gone = new Promise((resolve) => this.#process.once("close", () => resolve()));
    createInterface({ input: this.#process.stdout! }).on("line", (line) => this.#hear(line));
  }

  /** Resolves when it is up. */
  get up(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.set(0, { resolve, reject }));
  }

  ask<Method extends keyof Kernel>(
    method: Method,
    ...args: Parameters<Kernel[Method]>
  ): Promise<Awaited<ReturnType<Kernel[Method]>>> {
    const id = ++this.#asked;
    this.#process.stdin!.write(`${JSON.stringify({ id, method, args })}\n`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  pause(): void {
    this.#process.kill("SIGSTOP");
  }

  goOn(): void {
    this.#process.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#gone;
  }

  /** Stops it cleanly. */
  async close(): Promise<void> {
    this.#process.stdin!.end();
    await this.#gone;
  }

  #hear(line: string): void {
    const said = JSON.parse(line) as { id: number; ok?: never; err?: string; trouble?: string };
    if (said.trouble !== undefined) return void this.troubles.push(said as never);
    const waiting = this.#waiting.get(said.id);
    this.#waiting.delete(said.id);
    if (said.err === undefined) waiting?.resolve(said.ok as never);
    else waiting?.reject(new Error(said.err));
  }
}

export interface Noted {
  readonly node: string;
  readonly at: number;
  readonly begins?: string;
  readonly key?: string;
}

export function notesIn(witness: string): Noted[] {
  if (!existsSync(witness)) return [];
  const lines = readFileSync(witness, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Noted);
}

/** What happened, sorted. */
export function effectsIn(witness: string): string[] {
  const files = readdirSync(dirname(witness)).filter((name) => name.includes(".happened."));
  return files.map((name) => readFileSync(join(dirname(witness), name), "utf8")).sort();
}
