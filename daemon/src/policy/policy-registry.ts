// PolicyRegistry: which policies are in force, and how the files that they come from take effect.
//
//   boot(start)            starts the kernel with them
//   admit(folders, spawn)  a process from there, bound by the projects of these folders
//   reload(by)             all files again
//
// POLICY-REGISTRY-1  All or nothing: with one bad file the previous policy stays in force, and the kernel's ledger
//     says so.
// POLICY-REGISTRY-2  A bad or empty file of the operator prevents the start of the daemon. A project's file that is bad
//     or missing at the start denies everything to its processes, and only to them.
// POLICY-REGISTRY-3  A project's policy is in force before the first process from there exists. It is the trusted
//     version (project-policies.ts).
// POLICY-REGISTRY-4  A changed file by itself never removes a layer of the operator.

import { AsyncLocalStorage } from "node:async_hooks";
import { DEFAULT_POLICY, type Kernel } from "@aos/kernel";
import { SysError, type PolicyProblem, type PolicyReport } from "@aos/protocol";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Home } from "../home.ts";
import { yamlFailure } from "../yaml-file.ts";
import { findPolicyProblems, problemLines } from "./problem-lines.ts";
import {
  operatorPolicyFiles,
  type PolicyLocation,
  type ProjectPolicies,
  projectPolicyFiles,
} from "./project-policies.ts";
import { readPolicyFile, type PolicyLayerSource, type PolicyText } from "./policy-text.ts";
import { openSeenProjects, type ProjectHistory } from "./seen-projects.ts";

const UNCHANGED = "the previous policy stays in force; fix the file and run `aos policy reload`";
const DAEMON = "daemon";

export interface PolicyRegistryOptions {
  readonly home: Home;
  readonly config: Config["policy"];
  readonly log: Logger;
  readonly projects: ProjectPolicies;
}

export class PolicyRegistry {
  readonly #home: Home;
  readonly #config: Config["policy"];
  readonly #log: Logger;
  readonly #seen: ProjectHistory;
  readonly #projects: ProjectPolicies;
  /** The folder of the caller, while something is started for it. */
  readonly #callers = new AsyncLocalStorage<readonly string[]>();
  #inForce: readonly PolicyText[] = [];
  #kernel: Kernel | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ home, config, log, projects }: PolicyRegistryOptions) {
    this.#home = home;
    this.#projects = projects;
    this.#config = config;
    this.#log = log;
    this.#seen = openSeenProjects(home);
  }

  /** POLICY-REGISTRY-2. */
  async boot(start: (policy: readonly PolicyLayerSource[]) => Promise<Kernel>): Promise<Kernel> {
    const operator = this.#operatorTexts();
    refuseIfAny(operator.flatMap(({ broken }) => broken));
    let projects = this.#without(this.#projectTexts(), ({ broken }) => broken);
    for (;;) {
      const texts = [...operator, ...projects];
      try {
        this.#kernel = await start(this.sources(texts));
        this.#inForce = texts;
        return this.#kernel;
      } catch (error) {
        const problems = problemLines(error, texts);
        const sound = this.#without(projects, ({ file }) => problemsOf(file, problems));
        refuseIfAny(problems.filter(({ file }) => operator.some((text) => text.file === file)));
        if (sound.length === projects.length) throw error;
        projects = sound;
      }
    }
  }

  /** The layers that come with a folder, and with the caller's. */
  readonly layersOf = (folder: string | undefined): string[] => {
    const places = [...(folder === undefined ? [] : [folder]), ...(this.#callers.getStore() ?? [])];
    const projects = this.#projects.projectsOf(places);
    const unknown = projects.filter((project) => !this.#seen.folders.includes(project));
    // Denied until it is loaded.
    if (unknown.length > 0) this.#admitLater(unknown);
    return projects.flatMap((project) =>
      this.#projects.placesOf(project).map(({ layer }) => layer),
    );
  };

  /** POLICY-REGISTRY-3. */
  async admit<T>(folders: readonly string[], spawn: () => Promise<T>): Promise<T> {
    await this.#inTurn(() => this.#register(this.#projects.projectsOf(folders)));
    return this.#callers.run(folders, spawn);
  }

  reload(by: string): Promise<PolicyReport> {
    return this.#inTurn(() => this.#reload(by));
  }

  /** POLICY-REGISTRY-4. */
  async reloadChanged(): Promise<void> {
    await this.#inTurn(async () => {
      const found = [...this.#operatorTexts(), ...this.#projectTexts()];
      if (isSame(found, this.#inForce)) return;
      const lost = this.#inForce.filter(
        ({ file, source: { layer } }) =>
          !isProject(layer) && found.every((text) => text.file !== file),
      );
      if (lost.length > 0) {
        throw new SysError("ENOENT", `${lost.map(({ file }) => file).join(", ")} is gone`, {
          hint: "its rules stay in force until you run `aos policy reload`",
        });
      }
      await this.#reload(DAEMON);
    });
  }

  /** Everything that a change of which could change the policy. */
  places(): string[] {
    const files = [
      ...operatorPolicyFiles(this.#home, this.#config.files),
      ...this.#seen.folders.flatMap(projectPolicyFiles),
    ];
    return [this.#home.policyFolder, ...files.map(({ file }) => file)];
  }

  /** These layers on top of the one that ships. */
  sources(texts: readonly PolicyText[]): PolicyLayerSource[] {
    const own = texts.map(({ source }) => source);
    if (this.#config.default) return [DEFAULT_POLICY, ...own];
    if (own.some(({ layer }) => !isProject(layer))) return own;
    throw new SysError("EINVAL", "policy.default is false, and no other policy exists", {
      hint: `create ${this.#home.policy}, or name a file under policy.files in config.yaml`,
    });
  }

  /** What would be in force with this text: in the place of its file, or of the operator's policy. */
  sourcesWith(text: PolicyText): PolicyLayerSource[] {
    const same = this.#inForce.find(({ file }) => file === text.file);
    const layer = same?.source.layer ?? "organisation";
    const others = this.#inForce.filter(({ source }) => source.layer !== layer);
    return this.sources([...others, { ...text, source: { ...text.source, layer } }]);
  }

  async #reload(by: string): Promise<PolicyReport> {
    const operator = this.#operatorTexts();
    const isNew = ({ source: { layer } }: PolicyText) =>
      !this.#inForce.some(({ source }) => source.layer === layer);
    const projects = this.#projectTexts();
    const all = [...operator, ...projects];
    const problems = await findPolicyProblems(this.#kernelThere(), this.sources(all), all);
    // What denies already goes on denying, and keeps nobody else from a better policy.
    const left = this.#without(projects, (text) =>
      isNew(text) ? problemsOf(text.file, problems) : [],
    );
    return this.#load([...operator, ...left], by);
  }

  async #register(projects: readonly string[]): Promise<void> {
    const texts = projects.flatMap((project) => this.#projects.textsOf(project));
    const isKnown = (text: PolicyText) =>
      this.#inForce.some((held) => held.file === text.file && held.text === text.text);
    if (!texts.every(isKnown)) {
      const others = this.#inForce.filter(({ file }) => texts.every((text) => text.file !== file));
      await this.#load([...others, ...texts], DAEMON);
    }
    for (const project of projects) this.#seen.see(project);
  }

  #admitLater(projects: readonly string[]): void {
    this.#inTurn(() => this.#register(projects)).catch((error: unknown) => {
      this.#log.error(
        { err: error, projects },
        "a project's policy has errors: every call of its processes is denied",
      );
    });
  }

  /** POLICY-REGISTRY-1. */
  async #load(texts: readonly PolicyText[], by: string): Promise<PolicyReport> {
    try {
      const report = await this.#kernelThere().loadPolicy(this.sources(texts), by);
      this.#inForce = texts;
      return report;
    } catch (error) {
      refuseIfAny(problemLines(error, texts), UNCHANGED);
      throw error;
    }
  }

  #operatorTexts(): PolicyText[] {
    return readAll(operatorPolicyFiles(this.#home, this.#config.files));
  }

  #projectTexts(): PolicyText[] {
    return this.#seen.folders.flatMap((project) => {
      const texts = this.#projects.textsOf(project);
      if (texts.length === 0)
        this.#log.warn(
          { project },
          "a project's policy is missing: every call of its processes is denied",
        );
      return texts;
    });
  }

  /** POLICY-REGISTRY-2: those that have no problems; the log says what is wrong with the others. */
  #without(
    projects: readonly PolicyText[],
    problemsOf: (text: PolicyText) => readonly PolicyProblem[],
  ): PolicyText[] {
    return projects.filter((text) => {
      const problems = problemsOf(text);
      if (problems.length === 0) return true;
      const message = yamlFailure([...problems]).message;
      this.#log.warn(
        { problem: message },
        "a project's policy has errors: every call of its processes is denied",
      );
      return false;
    });
  }

  #kernelThere(): Kernel {
    if (this.#kernel === undefined) throw new SysError("ESTATE", "the kernel is not up yet");
    return this.#kernel;
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act, act);
    this.#turn = done.catch(() => {});
    return done;
  }
}

const isProject = (layer: string): boolean => layer.startsWith("project:");

const isSame = (some: readonly PolicyText[], others: readonly PolicyText[]): boolean =>
  some.length === others.length &&
  some.every(({ file, text }) => others.some((one) => one.file === file && one.text === text));

const readAll = (places: readonly PolicyLocation[]): PolicyText[] =>
  places.flatMap(({ layer, file, isNamed }) => {
    const text = readPolicyFile(file, layer);
    if (text !== undefined || isNamed !== true) return text ?? [];
    throw new SysError("EINVAL", `policy.files names ${file}, which does not exist`);
  });

const problemsOf = (file: string, problems: readonly PolicyProblem[]): PolicyProblem[] =>
  problems.filter((problem) => problem.file === file);

function refuseIfAny(problems: readonly PolicyProblem[], hint?: string): void {
  if (problems.length > 0) throw yamlFailure([...problems], hint);
}
