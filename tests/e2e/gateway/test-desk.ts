// Test desk: all that the gateway's answers are given from, as a daemon puts it together, over a real kernel in
// a folder of the test's own.

import type { Kernel } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import { readConfig, programRunnerOptionsOf, type Config } from "../../../daemon/src/config.ts";
import { openConfigReport } from "../../../daemon/src/config-report.ts";
import type { GatewayContext } from "../../../daemon/src/gateway/handlers.ts";
import { IdempotencyStore } from "../../../daemon/src/gateway/idempotency-store.ts";
import { TokenRegistry } from "../../../daemon/src/gateway/tokens.ts";
import { homeOf } from "../../../daemon/src/home.ts";
import { createKernel } from "../../../daemon/src/library.ts";
import { openLog } from "../../../daemon/src/log.ts";
import { openMcp } from "../../../daemon/src/mcp/open-mcp.ts";
import { openModels } from "../../../daemon/src/models/open-models.ts";
import { PolicyRegistry } from "../../../daemon/src/policy/policy-registry.ts";
import { trustedPolicies } from "../../../daemon/src/policy/project-policies.ts";
import { openScriptFolders } from "../../../daemon/src/script-folders.ts";
import { createSkillRegistry } from "../../../daemon/src/skills/skill-registry.ts";
import { TrustRegistry } from "../../../daemon/src/trust/trust-registry.ts";
import { TrustFile } from "../../../daemon/src/trust/trust-file.ts";
import { openProgramRunner } from "../../../daemon/src/program-runner-setup.ts";

export interface TestDesk {
  readonly gateway: GatewayContext;
  readonly kernel: Kernel;
  readonly tokens: TokenRegistry;
  readonly closing: AbortController;
}

export async function openTestDesk(wish: {
  readonly folder: string;
  readonly programs: Readonly<Record<string, Program>>;
  /** On the disk; else in memory. */
  readonly isKept: boolean;
  readonly http?: Partial<Config["http"]> | undefined;
  readonly mcp?: Partial<Config["mcp"]> | undefined;
  readonly onMistake: (error: unknown) => void;
}): Promise<TestDesk> {
  const home = homeOf({ AOS_HOME: wish.folder });
  const read = readConfig(home, {});
  const config = {
    ...read,
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
      ...(wish.isKept ? { store: { file: home.database } } : {}),
    }),
  );
  const closing = new AbortController();
  const shop = openProgramRunner(programRunnerOptionsOf(config, home));
  const tokens = new TokenRegistry({ file: home.tokens });
  const gateway: GatewayContext = {
    kernel,
    trust,
    projects,
    policy,
    config,
    workspaces: shop.workspaces,
    sandbox: shop.sandbox,
    skills: createSkillRegistry({
      user: home.skills,
      trusted: trust.trusted,
      trustsText: trust.trustsText,
    }),
    mcp: openMcp(
      home,
      shop,
      trust.trusted,
      () => {},
      () => kernel,
    ),
    models: openModels({ home, config, read: () => config, kernel: () => kernel, log }),
    settings: openConfigReport({ home, env: {}, flags: [] }),
    search: async () => [],
    toolFlaws: async () => [],
    home,
    scripts: openScriptFolders(home),
    socket: home.socket,
    url: () => null,
    tokens,
    repeats: new IdempotencyStore({ file: home.repeats }),
    onAct: () => {},
    daemon: { pid: 1, version: "0", startedAt: new Date().toISOString() },
    stopping: closing.signal,
    closing: closing.signal,
    stop: () => closing.abort(),
    onMistake: wish.onMistake,
  };
  return { gateway, kernel, tokens, closing };
}
