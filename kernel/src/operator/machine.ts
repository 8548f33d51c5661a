// Machine: the parts of a kernel, put together. Who knows whom is said here and nowhere else.

import { composeGate } from "./compose-gate.ts";
import { newId, type Json } from "@aos/protocol";
import { QuestionAnswering } from "../approval/answering.ts";
import { Channels } from "../approval/channels.ts";
import { Questions } from "../approval/questions.ts";
import { Devices } from "../device/devices.ts";
import { Journal } from "../journal/journal.ts";
import { LiveFeed } from "../bus/live-feed.ts";
import { Ledger } from "../journal/ledger.ts";
import {
  defaultAdmission,
  defaultApprovals,
  defaultLimits,
  defaultRetention,
  defaultTimes,
  type KernelOptions,
} from "../options.ts";
import { systemPlatform } from "../platform/clock.ts";
import { ResourceLabels } from "../label/resource-labels.ts";
import { FileFlows } from "../syscall/file-flows.ts";
import { SharedBudgets } from "../budget/shared-budgets.ts";
import { AccountRegistry } from "../process/accounts.ts";
import { ProcessFactory } from "../process/process-factory.ts";
import { BlockRegistry } from "../process/blocks.ts";
import { DeadLetters } from "../process/dead-letters.ts";
import { RowKeys } from "../process/row-keys.ts";
import { Manifests } from "../process/manifests.ts";
import type { Process } from "../process/process.ts";
import { ProcessTable } from "../process/process-table.ts";
import { Boundary } from "../scheduler/boundary.ts";
import { ResultDelivery } from "../scheduler/delivery.ts";
import { Dormancy } from "../scheduler/dormancy.ts";
import { ProcessEndings } from "../scheduler/endings.ts";
import { Runner } from "../scheduler/runner.ts";
import { Supervision } from "../scheduler/supervision.ts";
import { NO_SLOT_RULES, Slots } from "../slot/slots.ts";
import type { Store } from "../store/contract.ts";
import { replayStreams } from "../handlers/files.ts";
import type { Gate } from "../syscall/gate.ts";
import { AdmissionControl } from "./admission.ts";
import { CeilingSeal } from "../process/ceiling-setting.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { MessageRouter } from "./message-router.ts";
import { Directory } from "../process/directory.ts";
import { grantFromAnswer } from "./grant-from-answer.ts";
import { Grants } from "./grants.ts";
import { Leases } from "./leases.ts";
import { compileLayer } from "../policy-formats/compile.ts";
import { Policies } from "../policy/policies.ts";
import { HoldingProof } from "../audit/proof.ts";
import { Programs } from "../process/programs.ts";
import { Reaper } from "./reaper.ts";
import { Drain } from "./drain.ts";
import { RunRetention } from "./retention.ts";
import type { OpenedVault } from "../secret/secret-store.ts";
import { StateRetention } from "./state-retention.ts";
import { SettingsProof } from "../audit/settings-proof.ts";
import { SignedLedger } from "../audit/signed-ledger.ts";
import { BackgroundStoreCheck } from "../audit/store-patrol.ts";
import { isLedger } from "../audit/store-comparison.ts";
import { StoreIntegrity } from "../audit/store-integrity.ts";
import { Spawner } from "./spawner.ts";
import { StandingGrants } from "./standing-grants.ts";
import { withdrawSuperseded } from "./superseded.ts";
import { TenantRegistry } from "./tenant-registry.ts";
import { TimeLimits } from "./time-limits.ts";
import { Tokens } from "./tokens.ts";
import { ProcessTrees } from "../process/trees.ts";

export type Machine = ReturnType<typeof assemble>;

export function assemble(
  store: Store,
  options: KernelOptions,
  { vault, keys, rows: secrets }: OpenedVault,
) {
  const platform = options.platform ?? systemPlatform;
  const limits = { ...defaultLimits, ...options.limits };
  const approvals = { ...defaultApprovals, ...options.approvals };
  const node = options.node ?? newId("node", platform.now(), platform.bytes(10));
  let isHushed = false;
  const trouble = (what: string, error: unknown) => {
    if (!isHushed) options.onTrouble?.(what, error);
  };
  const journal = new Journal(store, platform, {
    fenced: (key) => reaper.fenced(key),
    failure: (error) => reaper.storeFailed(error),
  });
  const leaseMs = options.leaseMs ?? defaultTimes.leaseMs;
  const scrub = (text: string) => vault.scrubber().text(text);
  const base = {
    store,
    journal,
    platform,
    limits,
    node,
    trouble,
    scrub,
    table: new ProcessTable(),
  };
  const { toolProvider, modelSource } = options;
  const devices = new Devices(options.tools ?? [], options.models ?? [], toolProvider, modelSource);
  const live = new LiveFeed();
  const slots = new Slots({ rules: options.slots ?? (() => NO_SLOT_RULES), platform, scrub });
  const channels = new Channels(approvals.channels);
  const policies = new Policies(
    { ...base, devices, compileLayer, channels: channels.names },
    options.policy,
  );
  const resources = new ResourceLabels(journal);
  const { issuer = "agent-os", issuers = {} } = options;
  const revokedIds = () => proof.revokedIds();
  const tokens = new Tokens({ ...base, keys, issuer, issuers, revokedIds });

  const wide = new SharedBudgets({
    store,
    platform,
    budgets: options.budgets ?? [],
    velocity: options.velocity ?? [],
    alone: () => leases.beAlone(),
  });

  const manifests = new Manifests(store);
  const rows = {
    ...base,
    manifests,
    keys: new RowKeys(store),
    deadLetters: new DeadLetters(base),
    blocks: new BlockRegistry(store, (tenant) => tenants.meet(tenant)),
    accounts: new AccountRegistry(store, manifests, wide),
    wide,
    trees: new ProcessTrees(store, limits),
    programs: new Programs(options, platform),
    questions: new Questions({
      ...base,
      channels,
      limits: approvals,
      supersede: (row, by) => withdrawSuperseded({ ...base, ledger: rows.ledger }, row, by),
      problemOf: (row) => proof.ofAnswer(row),
    }),
    ledger: new Ledger({ journal, platform, node }),
    directory: new Directory(store, base.table),
  };
  secrets.book = rows;
  const isWhole = () => !integrity.report().lost.some(({ pid }) => isLedger(pid));
  const signed = new SignedLedger({ store, audit: () => audit, isWhole });
  const proof: HoldingProof = new HoldingProof({ ...base, signed });
  const factory = new ProcessFactory(rows);
  const endings = new ProcessEndings(base);
  const boundary = new Boundary({ ...base, endings });
  const grants: Grants = new Grants({
    ...rows,
    leaseMs,
    call: (key) => router.call(key),
    isAnnounced: (row, holder) => proof.isAnnounced(row, holder.row),
  });
  const seal = CeilingSeal.of(options, keys);
  const backed = options.ledgerBacked ?? [];
  const settings = new SettingsProof({ ...base, signed, seal, vault, backed });
  const tenants: TenantRegistry = new TenantRegistry({ ...rows, seal, proof: settings });
  const router = new MessageRouter({
    ...rows,
    boundary,
    endings,
    dormancy: () => dormancy,
    settle: (process) => standing.settle(process),
  });
  const standing = new StandingGrants({
    ...base,
    grants,
    proven: (rows) => proof.standing(rows),
    call: (key) => router.call(key),
    isSpread: () => dormancy.arrivedForAll(),
  });
  const times = new TimeLimits({ platform, router, endings });
  const admission = new AdmissionControl({
    ...base,
    rules: { ...defaultAdmission, ...options.admission },
    begin: (key) => dormancy.wake(key, "turn"),
    alarm: (at) => dormancy.alarm(at),
    slots: () => slots.reports(),
  });
  const spawner = new Spawner({
    ...rows,
    factory,
    admission,
    times,
    grants,
    tenants,
    layersOf: options.layersOf ?? (() => []),
    realFolder: options.realFolder ?? (async (folder) => folder),
    proven: (standing) => proof.standing(standing),
    runner: () => runner,
  });
  const supervision = new Supervision({
    ...base,
    endings,
    boundary,
    leave: (process) => dormancy.leave(process),
    runner: () => runner,
    wake: (key) => dormancy.wake(key),
  });
  const drain = new Drain({ ...base, endings, admission, gate: () => gate });
  const runner: Runner = new Runner({
    limits,
    scrub,
    boundary,
    driverFor: (process) => rows.programs.driverFor(process),
    execute: (process, call) => drain.execute(process, call),
    relive: replayStreams,
    wentLive: (process) => rows.deadLetters.bury(process),
    supervision,
  });
  const delivery = new ResultDelivery({
    ...base,
    boundary,
    ready: (process) => runner.ready.enqueue(process),
    everyCall: options.durability === "every-call",
  });
  const flows = new FileFlows(resources, policies);
  const gate: Gate = composeGate({
    ...rows,
    options,
    vault,
    devices,
    slots,
    live,
    policies,
    resources,
    flows,
    grants,
    standing,
    router,
    spawner,
    endings,
    confirmOurs: (process) => leases.confirm(process),
    wasBegun: (process) => integrity.wasBegun(process),
    hooks: {
      deliver: (process, call, settled) => {
        delivery.deliver(process, call, settled);
        if (call.name === "checkpoint" && "ok" in settled) states.checkpointed(process);
      },
      waiting: (process) => {
        delivery.cross(process);
        dormancy.waiting(process);
      },
    },
  });
  const states = new StateRetention({ ...base, retention: () => retention });
  const dormancy: Dormancy = new Dormancy({
    ...rows,
    boundary,
    unloadAfterMs: options.unloadAfterMs ?? defaultTimes.unloadAfterMs,
    isHeld: (key) => integrity.heldWhy(key) !== undefined,
    isProven: (key) => proof.isProven(key),
    prove: (process, stored) => integrity.holdUnless(process, proof.ofProcess(process, stored)),
    know: (root, count) => rows.trees.know(root, count),
    forget: (root) => rows.trees.forget(root),
    settle: (process, stored) => standing.settle(process, stored),
    expire: (process) => times.expire(process),
    queue: ({ key, row, isPaused }) => (isPaused ? admission.remove(key) : admission.add(row)),
    start: (process, image) => spawner.start(process, image),
  });
  const integrity: StoreIntegrity = new StoreIntegrity({
    ...rows,
    audit: () => audit,
    wake: (key) => dormancy.wakeLater(key),
    accepted: async () => {
      await tenants.refresh({ all: true });
      await settings.prove();
    },
  });
  const patrol = new BackgroundStoreCheck({
    ...base,
    restMs: options.patrolRestMs ?? defaultTimes.patrolRestMs,
    found: (problems) => integrity.damaged(problems),
  });
  const audit: AuditLog = new AuditLog({
    ...rows,
    integrity,
    folder: options.auditFolder,
    keyFile: options.keyFile,
  });
  const answering = new QuestionAnswering({
    ...rows,
    sign: (text) => audit.sign(text),
    wake: (key) => {
      if (base.table.get(key) === undefined) router.call(key);
    },
    give: (question, capabilities, how) =>
      grantFromAnswer(rows, grants, question, capabilities, how),
    spread: ({ process }) => standing.spreadFrom(process),
  });
  const retention = new RunRetention({
    ...base,
    audit,
    limits: { ...defaultRetention, ...options.retention },
  });
  const reaper: Reaper = new Reaper({ ...rows, router, endings, retention, admission });
  const leases: Leases = new Leases({
    ...base,
    dormancy,
    router,
    admission,
    leaseMs,
    isCounting: wide.isConfigured,
    refresh: () => tenants.refresh(),
  });

  endings.onEnd = (process) => reaper.ended(process);
  boundary.onReady = (process) => runner.ready.enqueue(process);
  boundary.onContinue = (process) => runner.goOn(process);

  return {
    ...rows,
    hush: () => void (isHushed = true),
    devices,
    slots,
    live,
    find: (process: Process, pid: string) => rows.directory.findFor(process, pid),
    wouldBe: (process: Process, call: string, args: Json) => gate.wouldBe(process, call, args),
    policies,
    resources,
    flows,
    vault,
    tokens,
    tenants,
    settings,
    grants,
    standing,
    boundary,
    router,
    endings,
    spawner,
    admission,
    dormancy,
    answering,
    audit,
    integrity,
    patrol,
    retention,
    states,
    reaper,
    leases,
    drain,
  };
}
