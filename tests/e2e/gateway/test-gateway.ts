// Test gateway: the context of the gateway's handlers, as a daemon puts it together, over a real kernel in
// a folder of the test's own.

import type { Kernel } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import {
  readConfig,
  programRunnerOptionsOf,
  type Config,
  openConfigReport,
  homeOf,
  openLog,
  openMcp,
  openModels,
  PolicyRegistry,
  trustedPolicies,
  openScriptFolders,
  createSkillRegistry,
  TrustRegistry,
  TrustFile,
  openProgramRunner,
  MetricsSource,
  Notifications,
} from "@aos/daemon/parts";
import { type GatewayContext, IdempotencyStore, TokenRegistry } from "@aos/daemon/gateway";
import { createKernel } from "@aos/daemon";

export interface TestGateway {
  readonly gateway: GatewayContext;
  readonly kernel: Kernel;
  readonly tokens: TokenRegistry;
  readonly closing: AbortController;
}

export async function openTestGateway(wish: {
  readonly folder: string;
  readonly programs: Readonly<Record<string, Program>>;
  /** On the disk; else in memory. */
  readonly isKept: boolean;
  readonly http?: Partial<Config["http"]> | undefined;
  readonly mcp?: Partial<Config["mcp"]> | undefined;
  readonly config?: Partial<Config> | undefined;
  /** In place of the file of its home. */
  readonly store?: { readonly url: string } | undefined;
  readonly onMistake: (error: unknown) => void;
}): Promise<TestGateway> {
  const home = homeOf({ AOS_HOME: wish.folder });
  const read = readConfig(home, {});
  const config = {
    ...read,
    ...wish.config,
    http: { ...read.http, ...wish.http },
    mcp: { ...read.mcp, ...wish.mcp },
  };
  const log = openLog({ level: "error", scrub: (text) => text });
  const trust = new TrustRegistry(new TrustFile({ file: home.trust, copies: home.trusted }));
  const projects = trustedPolicies(trust);
  const policy = new PolicyRegistry({ home, config: config.policy, log, projects });
  const { layersOf } = policy;
  const kernel = await policy.boot((sources) =>
    createKernel({
      programs: wish.programs,
      tenants: { a: {}, b: {} },
      policy: sources,
      layersOf,
      ...(wish.isKept ? { store: wish.store ?? { file: home.database } } : {}),
    }),
  );
  const closing = new AbortController();
  const runner = openProgramRunner(programRunnerOptionsOf(config, home));
  const tokens = new TokenRegistry({ file: home.tokens });
  const gateway: GatewayContext = {
    kernel,
    trust,
    projects,
    policy,
    config,
    workspaces: runner.workspaces,
    sandbox: runner.sandbox,
    skills: createSkillRegistry({
      user: home.skills,
      trusted: trust.trusted,
      trustsText: trust.trustsText,
    }),
    mcp: openMcp(
      home,
      runner,
      trust.trusted,
      () => {},
      () => kernel,
    ),
    models: openModels({ home, config, read: () => config, kernel: () => kernel, log }),
    settings: openConfigReport({ home, env: {}, flags: [] }),
    notify: new Notifications({
      kernel,
      config,
      homeFolder: wish.folder,
      url: () => null,
      log,
    }),
    search: async () => [],
    toolFlaws: async () => [],
    home,
    scripts: openScriptFolders(home),
    socket: home.socket,
    url: () => null,
    tokens,
    repeats: new IdempotencyStore({ file: home.repeats }),
    onAct: () => {},
    metrics: new MetricsSource({
      kernel,
      version: "0",
      closing: closing.signal,
      onMistake: () => {},
      exports: {},
    }),
    daemon: { pid: 1, version: "0", startedAt: new Date().toISOString() },
    stopping: closing.signal,
    closing: closing.signal,
    stop: () => closing.abort(),
    onMistake: wish.onMistake,
  };
  return { gateway, kernel, tokens, closing };
}
