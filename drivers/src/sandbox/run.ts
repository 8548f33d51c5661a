// Run: one program from its start until all its processes and files are gone.
//
//   const run = await startSandboxedRun(launch, request, { limits, group, … });
//   const ending = await run.ended;
//
// The same for every driver: a driver prepares the start (`Launch`); here the program is put into its group, started,
// watched, stopped, and cleaned up.
//
// SANDBOX-RUN-1  `ended` resolves when the group is empty and everything made for the run is removed.
// SANDBOX-RUN-2  The program does not run before it is in its group.
// SANDBOX-RUN-3  The first cause that stops a run is its reason; later events are not.
// SANDBOX-RUN-4  An exceeded limit is reported with its name and size.

import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";
import { SysError } from "@aos/protocol";
import { DiskWatch } from "./disk-watch.ts";
import type { Group, GroupUse } from "./group.ts";
import { spawnProgram, type Launch, type TranslatedExit } from "./launch.ts";
import { formatLimit, type SandboxLimits } from "./limits.ts";
import { OutputBuffer } from "./output.ts";
import type { RunEnding, LimitName, SandboxedRun, RunRequest } from "./sandbox.ts";

const LOOK_MS = 100;
/** How long those who are left may take to go by themselves. */
const CLOSE_MS = 20;
/** How long the output pipe may stay open and silent after the end, when no known process holds it. */
const OUTPUT_AFTER_END_MS = 1000;
/** The longest that Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;

export async function startSandboxedRun(
  launch: Launch,
  request: RunRequest,
  { limits, group }: { readonly limits: SandboxLimits; readonly group: Group },
): Promise<SandboxedProgram> {
  // What bubblewrap starts dies with the thread that started it, and only this one lasts.
  if (!isMainThread) throw new Error("a sandboxed program must be started from the main thread");
  const disk = watchDisk(launch, limits);
  const child = await spawnProgram(launch, request);
  const run = new SandboxedProgram({ launch, request, limits, group, child, disk });
  await run.begin();
  return run;
}

interface Parts {
  readonly launch: Launch;
  readonly request: RunRequest;
  readonly limits: SandboxLimits;
  readonly group: Group;
  readonly child: ChildProcess;
  readonly disk: DiskWatch | undefined;
}

export class SandboxedProgram implements SandboxedRun {
  readonly ended: Promise<RunEnding>;
  readonly #parts: Parts;
  readonly #output: OutputBuffer;
  readonly #startedAt = performance.now();
  readonly #timers: NodeJS.Timeout[] = [];
  #limit: LimitName | undefined;
  #isAborted = false;
  #isOver = false;
  #killing: Promise<void> | undefined;
  #hasBegun = false;
  #hasFailed = false;
  #whenBegun: () => void = () => {};
  readonly #begun: Promise<void>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#begun = new Promise((resolve) => (this.#whenBegun = resolve));
    this.#output = new OutputBuffer(parts.limits.outputBytes, () => this.#stop("outputBytes"));
    this.ended = this.#toTheEnd();
  }

  get pid(): number {
    return this.#parts.child.pid!;
  }

  get stdin(): NodeJS.WritableStream | undefined {
    return this.#parts.request.output === "stream" && this.#parts.request.input === undefined
      ? (this.#parts.child.stdin ?? undefined)
      : undefined;
  }

  get stdout(): NodeJS.ReadableStream | undefined {
    return this.#parts.request.output === "stream"
      ? (this.#parts.child.stdout ?? undefined)
      : undefined;
  }

  get stderr(): NodeJS.ReadableStream | undefined {
    return this.#parts.request.output === "stream"
      ? (this.#parts.child.stderr ?? undefined)
      : undefined;
  }

  /** SANDBOX-RUN-2 */
  async begin(): Promise<void> {
    const { launch, child, request } = this.#parts;
    launch.instruct?.(child);
    try {
      await this.#admit();
    } catch (error) {
      this.#hasFailed = true;
      for (const pid of launch.strays?.() ?? []) signal(pid);
      const { code, message } = error as NodeJS.ErrnoException;
      // Whoever ended by himself in the meantime says why in his ending.
      if (code !== "ESRCH" && !hasEnded(child)) {
        throw new SysError(
          "EACCES",
          `${request.name} could not be put into its cgroup: ${message}`,
        );
      }
    } finally {
      this.#hasBegun = true;
      if (request.signal?.aborted === true) this.#isAborted = true;
      const isWanted = this.#limit === undefined && !this.#isAborted && !this.#hasFailed;
      if (isWanted) launch.release?.(child);
      else this.#killAll();
      this.#whenBegun();
    }
  }

  /**
   * The kernel needs a while to admit the first and none for the next, and the driver needs as long to
   * come to its inner process: both happen at once.
   */
  async #admit(): Promise<void> {
    const { launch, child, group } = this.#parts;
    const [inner] = await Promise.all([launch.inner?.(child), group.admit(this.pid)]);
    if (inner !== undefined) {
      this.#parts.disk?.see(inner);
      await group.admit(inner);
    } else for (const pid of launch.strays?.() ?? []) signal(pid);
  }

  kill(): void {
    if (this.#isOver || this.#limit !== undefined) return;
    this.#isAborted = true;
    this.#killAll();
  }

  async #toTheEnd(): Promise<RunEnding> {
    this.#connect();
    this.#watch();
    const exited = new Promise<[number | null, string | null]>((resolve) => {
      this.#parts.child.once("exit", (code, signal) => resolve([code, signal]));
    });
    const closed = new Promise((resolve) => this.#parts.child.once("close", resolve));
    const exit = await exited;
    await this.#begun;
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    // A look that goes on would end the next run that has this group.
    await this.#killing;
    const isCollected = this.#parts.request.output === "collect";
    // Its output is closed when the last of its processes goes, which is nearly always now.
    if (isCollected) await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
    await this.#parts.group.end();
    if (isCollected) await this.#outputEnd(closed);
    const ending = this.#describe(exit);
    this.#parts.launch.cleanUp?.();
    return ending;
  }

  #connect(): void {
    const { stdin, stdout, stderr, stdio } = this.#parts.child;
    // A broken pipe says what the end will say, in words that are no use.
    for (const stream of [stdin, ...stdio]) stream?.on("error", () => {});
    if (this.#parts.request.output === "collect") {
      this.#output.collect("stdout", stdout!);
      this.#output.collect("stderr", stderr!);
    }
    if (this.#parts.request.input !== undefined) stdin?.end(this.#parts.request.input);
  }

  #watch(): void {
    const { wallMs } = this.#parts.limits;
    if (wallMs !== Infinity) {
      this.#timers.push(setTimeout(() => this.#stop("wallMs"), Math.min(wallMs, LONGEST_MS)));
    }
    let isLooking = false;
    this.#timers.push(
      setInterval(() => {
        this.#look();
        if (isLooking || this.#parts.disk === undefined) return;
        isLooking = true;
        void this.#parts.disk.over().then((limit) => {
          isLooking = false;
          if (limit !== undefined) this.#stop(limit);
        });
      }, LOOK_MS),
    );
    this.#parts.request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = (): void => this.kill();

  #look(): void {
    const { cpuMs, hit } = this.#parts.group.use();
    if (cpuMs !== null && cpuMs > this.#parts.limits.cpuMs) this.#stop("cpuMs");
    if (hit !== undefined) this.#stop(hit);
  }

  /** SANDBOX-RUN-3 */
  #stop(limit: LimitName): void {
    if (this.#isOver || this.#isAborted || this.#limit !== undefined) return;
    this.#limit = limit;
    this.#killAll();
  }

  #killAll(): void {
    // Before, somebody may wait to run who is not in the group yet; `begin` sees to it.
    if (this.#isOver || !this.#hasBegun) return;
    this.#parts.child.kill("SIGKILL");
    this.#killing = this.#parts.group.end();
  }

  async #outputEnd(closed: Promise<unknown>): Promise<void> {
    let before = -1;
    // As long as something is still read it is waited for: on a busy machine we may be the slow ones.
    const timer = setInterval(() => {
      if (this.#output.seen === before)
        for (const stream of this.#parts.child.stdio) stream?.destroy();
      before = this.#output.seen;
    }, OUTPUT_AFTER_END_MS);
    await closed;
    clearInterval(timer);
  }

  #describe([exitCode, exitSignal]: [number | null, string | null]): RunEnding {
    this.#parts.request.signal?.removeEventListener("abort", this.#onAbort);
    const stderr = this.#output.text("stderr");
    const use = this.#parts.group.use();
    const exit: TranslatedExit =
      exitCode !== null && this.#parts.launch.translate !== undefined
        ? this.#parts.launch.translate(exitCode, stderr)
        : { code: exitCode, signal: exitSignal };
    const limit = this.#limit ?? this.#limitOf(exit.signal, use);
    return {
      code: exit.code,
      signal: exit.signal,
      ...(exit.notStarted === undefined ? {} : { notStarted: exit.notStarted }),
      ...(limit === undefined
        ? {}
        : { limit: { name: limit, message: formatLimit(limit, this.#parts.limits[limit]) } }),
      isAborted: this.#isAborted,
      stdout: this.#output.text("stdout"),
      stderr: exit.stderr ?? stderr,
      isCut: this.#output.isCut,
      usage: {
        wallMs: performance.now() - this.#startedAt,
        cpuMs: use.cpuMs,
        memoryBytes: use.memoryBytes,
      },
    };
  }

  /** A limit that the kernel kept without asking us. */
  #limitOf(signal: string | null, { cpuMs, hit }: GroupUse): LimitName | undefined {
    if (this.#isAborted) return undefined;
    if (hit !== undefined) return hit;
    if (signal === "SIGXFSZ") return "fileBytes";
    if (signal === "SIGXCPU") return "cpuMs";
    return signal === "SIGKILL" && cpuMs !== null && cpuMs > this.#parts.limits.cpuMs
      ? "cpuMs"
      : undefined;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}

const watchDisk = (
  { writable }: Launch,
  { diskBytes, files }: SandboxLimits,
): DiskWatch | undefined =>
  diskBytes === Infinity && files === Infinity
    ? undefined
    : new DiskWatch(writable, { diskBytes, files });
