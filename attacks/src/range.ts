// Range: a temporary kernel to attack, made from the operator's configuration (policy, limits, approvals, tools),
// with its own folders, servers, secrets and people.
//
//   await using range = await Range.open(source);
//   await range.run(async (sys) => sys.exec("range.pay", {}), { capabilities: ["tool:range.look:call"] });
//   range.did("range.pay")
//
// RANGE-1  Nothing of the live system is touched, and nothing of a range is left when it is closed.
// RANGE-2  The person of the range denies every question unless an attack says otherwise.

import { randomBytes } from "node:crypto";
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@aos/daemon";
import { programLibraries, trustRegistryIn, type TrustRegistry } from "@aos/daemon/parts";
import { createForeignPrograms, createSandbox, type Sandbox } from "@aos/drivers";
import type { Kernel } from "@aos/kernel";
import {
  isEnded,
  type Ending,
  type Json,
  type Program,
  type ProgramListener,
  type Question,
  type RunningProgram,
} from "@aos/protocol";
import type {
  HostileHandler,
  RangeRunOptions,
  RangeMode,
  RangeSource,
  RangeScript,
} from "./range-request.ts";
import { RangeModel } from "./range-model.ts";
import { rangeTools, type ToolRun } from "./range-tools.ts";
import { RangeWeb } from "./range-web.ts";
import { ALLOW_ALL, everything, NO_LIMITS, type Weakness } from "./weaknesses.ts";

const AGENTS = ["attacker", "accomplice", "victim"] as const;
const PATIENCE_MS = 60_000;
/** Generous, because a program has to start in the sandbox of a busy machine. */
const PROGRAM_PATIENCE_MS = 60_000;
const HOSTILE = "hostile";
/** A second tenant without a ceiling, and one below the default ceiling. */
export const ELSEWHERE = "elsewhere";
export const BELOW = "below";

export type { RangeMode, RangeSource } from "./range-request.ts";

export class Range implements AsyncDisposable {
  readonly folder: string;
  /** The content that no attacker may obtain. */
  readonly treasure = `treasure-${randomBytes(12).toString("hex")}`;
  /** The value of the secret RANGE_TOKEN; its characters differ in every encoding. */
  readonly secret = `k&y/<${randomBytes(9).toString("base64url")}>+"=${randomBytes(6).toString("hex")}`;
  readonly runs: ToolRun[] = [];
  /** The texts that vectors were made of. */
  readonly embedded: string[] = [];
  readonly model = new RangeModel();
  person: "denies" | "approves" | "is silent";
  readonly #source: RangeSource;
  readonly #mode: RangeMode;
  readonly #web: RangeWeb;
  readonly #scripts = new Map<string, RangeScript>();
  readonly #echoes: string[] = [];
  readonly #hostiles = new Map<string, HostileHandler>();
  readonly #key = randomBytes(32).toString("hex");
  /** Where the source has none, or is not to be heeded. */
  #ownSandbox: Promise<Sandbox> | undefined;
  readonly #foreign = createForeignPrograms({
    sandbox: () => this.#sandbox(),
    libraries: programLibraries,
  });
  #store = "first";
  #kernel: Kernel | undefined;
  /** The folders that are trusted, as this boot has read them. */
  trust!: TrustRegistry;

  private constructor(folder: string, source: RangeSource, mode: RangeMode, web: RangeWeb) {
    this.folder = folder;
    this.#source = source;
    this.#mode = mode;
    this.#web = web;
    this.person = this.isWeak("obedient-person") ? "approves" : "denies";
  }

  static async open(source: RangeSource, mode: RangeMode = {}): Promise<Range> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "aos-range-")));
    const web = await RangeWeb.open(`treasure-${folder}`);
    const range = new Range(folder, source, mode, web);
    try {
      await mkdir(range.work);
      await mkdir(range.vault);
      await writeFile(join(range.work, "notes"), "mine");
      await writeFile(join(range.vault, "key"), range.treasure);
      await range.#boot();
      return range;
    } catch (error) {
      await range[Symbol.asyncDispose]();
      throw error;
    }
  }

  get kernel(): Kernel {
    return this.#kernel!;
  }
  get web(): RangeWeb {
    return this.#web;
  }
  /** The folder that attackers are granted. */
  get work(): string {
    return join(this.folder, "work");
  }
  /** The folder that attackers are not granted. Its file `key` holds the treasure. */
  get vault(): string {
    return join(this.folder, "vault");
  }
  get storeFolder(): string {
    return join(this.folder, this.#store);
  }

  isWeak(weakness: Weakness): boolean {
    return this.#mode.weak?.includes(weakness) === true;
  }

  /** The given capabilities, or all of them where grants are wide. */
  granted(...capabilities: string[]): string[] {
    if (!this.isWeak("wide-grants")) return capabilities;
    return [...everything([this.#web.front, this.#web.inner]), ...capabilities];
  }

  /** The number of completed runs of a tool. */
  did(tool: string, isMeant: (args: Json) => boolean = () => true): number {
    return this.runs.filter((run) => run.tool === tool && run.isDone && isMeant(run.args)).length;
  }

  /** Adds a policy layer that binds everyone, unless the weakness `allow-all` is set. */
  async under(document: unknown, format: "policy" | "security.md" = "policy"): Promise<void> {
    if (this.isWeak("allow-all")) return;
    const layer = { layer: "range", origin: "the range", format, document };
    await this.kernel.loadPolicy([...this.#source.policy, layer], "range");
  }

  /** The input of a process that runs this program. */
  script(script: RangeScript, given: Json = null): { [name: string]: Json } {
    const name = `script-${this.#scripts.size}`;
    this.#scripts.set(name, script);
    return { script: name, given };
  }

  /**
   * Registers a text of `range.echo` and returns its number, so that only the tool says the text.
   */
  echo(text: string): number {
    return this.#echoes.push(text) - 1;
  }

  start(script: RangeScript, how: RangeRunOptions = {}): Promise<string> {
    const { as = "attacker", capabilities = [], given = null, ...rest } = how;
    const { budget, ...most } = rest;
    return this.kernel.spawn({
      agent: as,
      input: this.script(script, given),
      capabilities: this.granted(...capabilities),
      ...most,
      ...(budget === undefined || this.isWeak("no-limits") ? {} : { budget }),
    });
  }

  async run(script: RangeScript, how: RangeRunOptions = {}): Promise<Ending> {
    const patienceMs = how.workspace === undefined ? PATIENCE_MS : PROGRAM_PATIENCE_MS;
    return this.end(await this.start(script, how), patienceMs);
  }

  /** Runs a program that speaks the protocol by itself. */
  async runHostile(hostile: HostileHandler, capabilities: readonly string[] = []): Promise<Ending> {
    const name = `hostile-${this.#hostiles.size}`;
    this.#hostiles.set(name, hostile);
    return this.runCommand([HOSTILE, name], capabilities);
  }

  async runCommand(command: string[], capabilities: readonly string[] = []): Promise<Ending> {
    const manifest = { apiVersion: "aos/v1", kind: "Agent", name: "attacker", command } as const;
    const pid = await this.kernel.spawn({
      manifest: { ...manifest, capabilities: this.granted(...capabilities) } as never,
      folder: this.work,
    });
    return this.end(pid);
  }

  /** Waits for the end while the person answers. A process that does not end is killed. */
  async end(pid: string, patienceMs = PATIENCE_MS): Promise<Ending> {
    for (const since = performance.now(); ;) {
      const ending = await this.kernel.wait(pid, { timeoutMs: 10 });
      // What was waited for only so long may be told before all of it is on the disk.
      if (isEnded(ending.state)) return this.kernel.wait(pid);
      await this.#answerAll();
      if (performance.now() - since < patienceMs) continue;
      await this.kernel.signal(pid, "SIGKILL");
      throw new Error(`${pid} did not end in time`);
    }
  }

  /** Waits for the first open question. */
  async question(isMeant: (question: Question) => boolean = () => true): Promise<Question> {
    let found: Question | undefined;
    await this.until(async () => {
      found = (await this.kernel.questions()).find(isMeant);
      return found !== undefined;
    }, "a question");
    return found!;
  }

  /** Polls until the condition holds. */
  async until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (const since = performance.now(); !(await isSo());) {
      if (performance.now() - since > PATIENCE_MS) throw new Error(`${what} did not come about`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Stops the kernel, applies `change` to its disk, and boots it again. */
  async restart(change: () => void | Promise<void> = () => {}): Promise<void> {
    await this.kernel.close();
    await change();
    await this.#boot();
  }

  /** Boots another kernel from the present disk, as after a crash. */
  async crash(): Promise<void> {
    const before = this.storeFolder;
    this.#store = `${this.#store}-again`;
    await cp(before, this.storeFolder, { recursive: true });
    await this.kernel.close(); // whatever it still writes is not seen by the copy
    await this.#boot();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kernel?.close();
    await (await this.#ownSandbox)?.close();
    await this.#web[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #boot(): Promise<void> {
    const { isKept = false, unloadAfterMs } = this.#mode;
    const { policy, limits, approvals, tools = [] } = this.#source;
    if (isKept) await mkdir(this.storeFolder, { recursive: true });
    const channels = {
      ...approvals?.channels,
      "range.pair": { people: ["ann", "ben"], quorum: 2 },
    };
    const tireless = this.isWeak("no-limits") ? { perHour: 1e6, openPerProcess: 1e6 } : {};
    const kept = {
      store: { file: join(this.storeFolder, "aos.db") },
      auditFolder: join(this.storeFolder, "audit"),
      keyFile: join(this.storeFolder, "audit.key"),
    };
    this.trust = trustRegistryIn(this.storeFolder);
    this.#kernel = await createKernel({
      ledgerBacked: [this.trust],
      ...(isKept ? kept : {}),
      ...(unloadAfterMs === undefined ? {} : { unloadAfterMs }),
      policy: this.isWeak("allow-all") ? ALLOW_ALL : policy,
      limits: this.isWeak("no-limits") ? NO_LIMITS : (limits ?? {}),
      approvals: { ...approvals, ...tireless, channels },
      tenants: { [ELSEWHERE]: { ceiling: "none" }, [BELOW]: {} },
      models: [this.model],
      embeddings: {
        model: "range@1",
        egress: false,
        embed: async (texts) => {
          this.embedded.push(...texts);
          return texts.map(() => [1, 0]);
        },
      },
      workspaces: { folder: join(this.folder, "trees") },
      tools: [...tools, ...rangeTools(this.runs, this.#echoes)],
      secretKey: this.#key,
      programs: Object.fromEntries(AGENTS.map((name) => [name, this.#program])),
      foreign: {
        start: (what, listener) =>
          what.command?.[0] === HOSTILE
            ? this.#startHostile(what.command[1]!, listener)
            : this.#foreign.start(what, listener),
      },
    });
  }

  #sandbox(): Promise<Sandbox> {
    const { sandbox } = this.#source;
    if (this.isWeak("no-sandbox")) return (this.#ownSandbox ??= createSandbox({ level: "none" }));
    return sandbox === undefined ? (this.#ownSandbox ??= createSandbox({})) : sandbox();
  }

  readonly #program: Program = async (sys, input) => {
    const { script, given } = input as { script: string; given: Json };
    return (await this.#scripts.get(script)!(sys, given)) as Json;
  };

  #startHostile(name: string, listener: ProgramListener): RunningProgram {
    setImmediate(() => this.#hostiles.get(name)!(listener));
    return { deliver: () => {}, stop: async () => {} };
  }

  /** RANGE-2. */
  async #answerAll(): Promise<void> {
    if (this.person === "is silent") return;
    for (const { id, choices } of await this.kernel.questions()) {
      const isYes = this.person === "approves";
      const yes = choices.includes("approve") ? "approve" : (choices[0] ?? "yes");
      const no = choices.includes("deny") ? "deny" : (choices.at(-1) ?? "no");
      await this.kernel.answer(id, { by: "rita", choice: isYes ? yes : no }).catch(() => {});
    }
  }
}
