// Daemon: a kernel behind a socket, on its own home.
//
// DAEMON-1  Resources are closed in reverse order, whether the start fails or the daemon stops.
// DAEMON-2  A failing store does not end the daemon: it answers with the reason and continues from the disk when the
//     store recovers (kernel-host.ts).
// DAEMON-3  The socket exists only once the kernel is ready, so every connection is answered.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { createEmbeddings, resourcesOf } from "@aos/drivers";
import { checkSocketPath, type DaemonInfo } from "@aos/protocol";
import { agentsOfHome } from "./agents.ts";
import { announceRestored } from "./backup/announce-restored.ts";
import { openArchive } from "./backup/open-archive.ts";
import { kernelOptionsOf, readConfig, programRunnerOptionsOf } from "./config.ts";
import { openConfigReport } from "./config-report.ts";
import type { GatewayContext } from "./gateway/gateway-context.ts";
import { createApp } from "./gateway/app.ts";
import { acceptSockets } from "./gateway/attach-socket.ts";
import { IdempotencyStore } from "./gateway/idempotency-store.ts";
import { TokenRegistry } from "./gateway/tokens.ts";
import { gracefulStop } from "./graceful-stop.ts";
import { readTls } from "./http-config.ts";
import { listenOnNetwork, type HttpListener } from "./http-listener.ts";
import {
  checkDatabaseFile,
  checkKeyFile,
  checkSpace,
  homeOf,
  prepareHome,
  withinHome,
  type Home,
} from "./home.ts";
import { KernelHost } from "./kernel-host.ts";
import { lockHome } from "./home-lock.ts";
import { bootWith } from "./library.ts";
import { openLog } from "./log.ts";
import { openMcp } from "./mcp/open-mcp.ts";
import { openNotifications } from "./notify/notify-on-demand.ts";
import { MetricsSource } from "./metrics/metrics-source.ts";
import { embeddingOptionsOf } from "./models/open-embeddings.ts";
import { openModels } from "./models/open-models.ts";
import { watchConfig, watchPolicy } from "./watch-files.ts";
import { PolicyRegistry } from "./policy/policy-registry.ts";
import { trustedPolicies } from "./policy/project-policies.ts";
import { plugTools } from "./tools/plug-tools.ts";
import { createSkillRegistry } from "./skills/skill-registry.ts";
import { createToolSearch } from "./tools/search-tools.ts";
import { omitUndefined } from "./omit-undefined.ts";
import { openScriptFolders } from "./script-folders.ts";
import { listenOn } from "./socket.ts";
import { openEvents } from "./telemetry/open-events.ts";
import { openLogExport, openMetricsExport } from "./telemetry/open-otlp.ts";
import { openTraces } from "./traces/open-traces.ts";
import { TrustRegistry } from "./trust/trust-registry.ts";
import { TrustFile } from "./trust/trust-file.ts";
import { backUpBeforeUpgrade } from "./upgrade-backup.ts";
import { DAEMON_VERSION } from "./version.ts";
import { openProgramRunner, quarantineEntry } from "./program-runner-setup.ts";
import { keepWorkspaces } from "./workspace-keeper.ts";

export interface RunningDaemon {
  readonly info: DaemonInfo;
  /** Resolves when it was stopped and all is closed. */
  readonly stopped: Promise<void>;
  stop(): void;
  /** Reads the policy files and config.yaml again; what is wrong with them is in the log. */
  reload(): void;
}

export async function startDaemon(options: {
  env: Readonly<Record<string, string | undefined>>;
  /** `--log-level=debug` and the like. */
  flags: readonly string[];
  /** The log goes to the home's file; otherwise to standard error. */
  detached: boolean;
}): Promise<RunningDaemon> {
  const home = homeOf(options.env);
  checkSocketPath(home.socket);
  const closed = prepareHome(home);
  const { env, flags } = options;
  const config = readConfig(home, env, flags);

  await using opened = new AsyncDisposableStack();
  const lock = withinHome(home, () => lockHome(home));
  opened.defer(() => lock.release());

  const info = announce(home, null);
  opened.defer(() => rmSync(home.daemonInfo, { force: true }));

  const logExport = await openLogExport(config.telemetry);
  if (logExport !== undefined) opened.defer(() => logExport.close());
  let hosted: KernelHost | undefined; // what is logged before it is there needs no scrubbing
  const log = openLog({
    ...config.log,
    scrub: (text) => hosted?.scrub(text) ?? text,
    ...(options.detached ? { file: home.log } : {}),
    ...(logExport === undefined ? {} : { copy: logExport.add }),
  });
  if (logExport !== undefined) logExport.log = log;
  for (const { path, mode } of closed)
    log.warn(
      { path, mode },
      "was readable by other users of this machine; the daemon has restricted its mode",
    );
  const stops = gracefulStop(() => hosted?.present, {
    withinMs: config.drain,
    log,
  });
  const onTrouble = (what: string, error: unknown) => {
    log.error({ err: error }, what);
    hosted?.suspect(error);
  };

  if (config.database === undefined) {
    checkDatabaseFile(home);
    withinHome(home, () =>
      backUpBeforeUpgrade(home, {
        keep: config.backups.keep,
        say: (what, more) => log.warn(more, what),
      }),
    );
  }
  if (config.secretKey === undefined) checkKeyFile(home.secretKey);
  const tokens = new TokenRegistry({ file: home.tokens });
  const scripts = openScriptFolders(home);
  const trust = new TrustRegistry(new TrustFile({ file: home.trust, copies: home.trusted }));
  const projects = trustedPolicies(trust);
  const policy = new PolicyRegistry({ home, config: config.policy, log, projects });
  const runner = openProgramRunner({
    ...programRunnerOptionsOf(config, home),
    marks: () => hosted!.kernel,
    onQuarantine: async (pid, said, taken) => {
      log.warn({ pid, said, taken }, "a program changed files that grant authority");
      await hosted!.kernel.enter("quarantine", pid, quarantineEntry(said, taken));
    },
  });
  opened.defer(() => runner.close());
  const skills = createSkillRegistry({
    user: home.skills,
    trusted: trust.trusted,
    trustsText: trust.trustsText,
  });
  const warn = (what: string, error: unknown) => log.warn({ err: error }, what);
  const mcp = openMcp(home, runner, trust.trusted, warn, () => hosted!.kernel);
  opened.defer(() => mcp.provider.close());
  const models = openModels({
    home,
    config,
    read: () => readConfig(home, env, flags),
    kernel: () => hosted!.kernel,
    log,
  });
  const plugged = plugTools(runner, {
    trusted: trust.trusted,
    homeFolder: home.tools,
    onFlaw: (flaw) => log.warn({ flaw }, "a tool could not be loaded"),
  });
  opened.defer(() => plugged.projects.close());
  const archive = openArchive({ config, home, runner, kernel: () => hosted!.kernel });
  if (archive !== undefined) opened.defer(() => archive.runs.close());
  const meaning = createEmbeddings();
  opened.defer(() => meaning.close());
  const host = new KernelHost(async (former) => {
    if (former.formerNode !== undefined) checkSpace(home);
    return policy.boot((sources) =>
      bootWith(runner, plugged, {
        ...kernelOptionsOf(config, home),
        ...former,
        ...(archive === undefined ? {} : { archive: archive.folder }),
        scriptFolders: scripts.folders,
        configuredMounts: config.mounts,
        resources: resourcesOf(mcp.provider),
        evalHost: {
          admit: (folders, spawn) => policy.admit(folders, spawn),
          see: (folder) => scripts.see(folder),
        },
        agents: agentsOfHome(home),
        skills,
        toolProvider: mcp.provider,
        modelSource: models,
        ...embeddingOptionsOf(config, {
          local: meaning.driver,
          declaration: (provider) => models.declaration(provider),
        }),
        slots: models.slots,
        policy: sources,
        layersOf: policy.layersOf,
        ledgerBacked: [trust],
        onTrouble,
        onProgram: {
          onStarted: (pid, heldBy) => log.info({ pid, heldBy }, "a program was started"),
          onStderr: (pid, text) => log.debug({ pid, text }, "output of a program"),
        },
      }),
    );
  }, log);
  hosted = host;
  await host.start();
  const { kernel } = host;
  opened.defer(() => host.close());
  await announceRestored(home, kernel, log);
  const traces = await openTraces(kernel, config.telemetry, log);
  opened.defer(() => traces.close());
  const events = await openEvents(kernel, config.telemetry, log);
  if (events !== undefined) opened.defer(() => events.close());
  const onMistake = (error: unknown) => onTrouble("internal error while handling a request", error);
  const metrics = new MetricsSource({
    kernel,
    version: DAEMON_VERSION,
    closing: stops.closing,
    onMistake,
    exports: omitUndefined({ ocsf: events?.counts, "otlp-logs": logExport?.counts }),
  });
  const metricsExport = await openMetricsExport(metrics, config.telemetry, log);
  if (metricsExport !== undefined) opened.defer(() => metricsExport.close());
  const keeping = await keepWorkspaces(runner.workspaces, kernel, log);
  opened.defer(() => keeping.close());

  const reload = (act: Promise<unknown>) => {
    act.then(
      () => log.info("the policy was reloaded"),
      (error: unknown) =>
        log.error({ err: error }, "the policy was not reloaded; the previous one stays in force"),
    );
  };
  const watching = watchPolicy(
    () => policy.places(),
    () => reload(policy.reloadChanged()),
  );
  opened.defer(() => watching.close());

  const settings = watchConfig(
    [home.config, ...(home.baseConfig === undefined ? [] : [home.baseConfig])],
    models,
    log,
  );
  opened.defer(() => settings.close());

  let listener: HttpListener | undefined;
  const notify = await openNotifications({
    kernel,
    config,
    homeFolder: home.folder,
    url: () => listener?.url ?? null,
    log,
  });
  const gateway: GatewayContext = {
    kernel: archive?.over(kernel) ?? kernel,
    archive: archive?.runs,
    home,
    scripts,
    trust,
    projects,
    policy,
    config,
    settings: openConfigReport({ home, env, flags }),
    workspaces: runner.workspaces,
    sandbox: runner.sandbox,
    skills,
    mcp,
    models,
    notify,
    search: createToolSearch(meaning, (error) =>
      log.warn({ err: error }, "semantic tool search is unavailable; keywords only"),
    ),
    toolFlaws: async (scope) => {
      await plugged.projects.prepare(scope);
      return plugged.projects.flaws(scope);
    },
    socket: home.socket,
    url: () => listener?.url ?? null,
    tokens,
    repeats: new IdempotencyStore({ file: home.repeats }),
    metrics,
    daemon: { pid: info.pid, version: info.version, startedAt: info.startedAt },
    stopping: stops.stopping,
    closing: stops.closing,
    stop: () => stops.stop(),
    onMistake,
    onAct: (what, more) => log.info(more, what),
  };
  const app = createApp(gateway);
  if (config.http.enabled) {
    const { host, port } = config.http;
    listener = await listenOnNetwork(app, { host, port, tls: readTls(config.http, home.folder) });
    opened.defer(() => listener?.close());
    acceptSockets(listener.server, app, gateway, "network");
  }
  const server = await listenOn(home.socket, app, config.socket.access);
  opened.defer(() => server.close());
  acceptSockets(server.server, app, gateway, "socket");

  if (notify !== undefined) {
    opened.defer(() => notify.close());
    notify.begin();
  }

  const ready = announce(home, listener?.url ?? null, info);
  log.info({ ...ready, home: home.folder }, "ready");
  const all = opened.move();
  const stopped = new Promise<void>((resolve, reject) => {
    stops.closing.addEventListener("abort", () => {
      all.disposeAsync().then(() => {
        log.info("stopped");
        resolve();
      }, reject);
    });
  });
  return {
    info: ready,
    stopped,
    stop: () => stops.stop(),
    reload: () => {
      reload(policy.reload("SIGHUP"));
      settings.reread();
    },
  };
}

/** Says in the home who has it, for those who find it locked. */
function announce(home: Home, url: string | null, known?: DaemonInfo): DaemonInfo {
  const info: DaemonInfo = {
    pid: process.pid,
    version: DAEMON_VERSION,
    startedAt: known?.startedAt ?? new Date().toISOString(),
    socket: home.socket,
    url,
  };
  withinHome(home, () => {
    writeFileSync(`${home.daemonInfo}.new`, `${JSON.stringify(info)}\n`, { mode: 0o600 });
    renameSync(`${home.daemonInfo}.new`, home.daemonInfo);
  });
  return info;
}
