// Composes what everything stands on, what processes are made of, and what their calls reach.

import { newId } from "@aos/protocol";
import { Channels } from "../approval/channels.ts";
import { Questions } from "../approval/questions.ts";
import { SharedBudgets } from "../budget/shared-budgets.ts";
import { LiveFeed } from "../bus/live-feed.ts";
import { Devices } from "../device/devices.ts";
import { Journal } from "../journal/journal.ts";
import { Ledger } from "../journal/ledger.ts";
import { ResourceLabels } from "../label/resource-labels.ts";
import { defaultApprovals, defaultLimits, type KernelOptions } from "../options.ts";
import { systemPlatform } from "../platform/clock.ts";
import { compileLayer } from "../policy-formats/compile.ts";
import { DEFAULT_POLICY } from "../policy-formats/default-policy.ts";
import { Policies } from "../policy/policies.ts";
import { AccountRegistry } from "../process/accounts.ts";
import { BlockRegistry } from "../process/blocks.ts";
import { DeadLetters } from "../process/dead-letters.ts";
import { Directory, ProcessTable } from "../process/process-table.ts";
import { Manifests } from "../process/manifests.ts";
import { Programs } from "../process/programs.ts";
import { RowKeys } from "../process/row-keys.ts";
import { ProcessTrees } from "../process/trees.ts";
import type { OpenedVault } from "../secret/secret-store.ts";
import { NO_SLOT_RULES, Slots } from "../slot/slots.ts";
import type { OpenedStore } from "../store/mail-reports.ts";
import { FileFlows } from "../syscall/file-flows.ts";
import { withDefaults } from "./check-options.ts";
import type { BaseParts, DeviceParts, LaterParts, ProcessParts } from "./kernel-parts.ts";
import { withdrawSuperseded } from "./superseded.ts";

export function composeBase(
  store: OpenedStore,
  options: KernelOptions,
  { vault }: OpenedVault,
  later: LaterParts,
): BaseParts {
  const platform = options.platform ?? systemPlatform;
  let isHushed = false;
  return {
    store,
    journal: new Journal(store, platform, {
      fenced: (key) => later().reaper.fenced(key),
      failure: (error) => later().reaper.storeFailed(error),
    }),
    platform,
    limits: withDefaults(defaultLimits, options.limits),
    node: options.node ?? newId("node", platform.now(), platform.bytes(10)),
    trouble: (what, error) => {
      if (!isHushed) options.onTrouble?.(what, error);
    },
    hush: () => void (isHushed = true),
    scrub: (text) => vault.scrubber().text(text),
    table: new ProcessTable(),
  };
}

export function composeProcesses(
  base: BaseParts,
  options: KernelOptions,
  later: LaterParts,
): ProcessParts {
  const { store, journal, platform, node, table, limits } = base;
  const approvals = withDefaults(defaultApprovals, options.approvals);
  const manifests = new Manifests(store);
  const ledger = new Ledger({ journal, platform, node });
  const wide = new SharedBudgets({
    store,
    platform,
    budgets: options.budgets ?? [],
    velocity: options.velocity ?? [],
    alone: () => later().leases.beAlone(),
  });
  return {
    ...base,
    manifests,
    keys: new RowKeys(store),
    deadLetters: new DeadLetters(base),
    blocks: new BlockRegistry(store, (tenant) => later().tenants.meet(tenant)),
    accounts: new AccountRegistry(store, manifests, wide),
    wide,
    trees: new ProcessTrees(store, limits),
    programs: new Programs(options, platform),
    questions: new Questions({
      ...base,
      channels: new Channels(approvals.channels),
      limits: approvals,
      supersede: (row, by) => withdrawSuperseded({ ...base, ledger }, row, by),
      problemOf: (row) => later().proof.ofAnswer(row),
    }),
    ledger,
    directory: new Directory(store, table),
  };
}

export function composeDevices(parts: ProcessParts, options: KernelOptions): DeviceParts {
  const { journal, platform, scrub, questions } = parts;
  const { tools = [], models = [], toolProvider, modelSource } = options;
  const devices = new Devices(tools, models, toolProvider, modelSource, options.mounts);
  const policies = new Policies(
    { ...parts, devices, compileLayer, channels: questions.channels.names },
    options.policy ?? [DEFAULT_POLICY],
  );
  const resources = new ResourceLabels(journal);
  return {
    devices,
    slots: new Slots({ rules: options.slots ?? (() => NO_SLOT_RULES), platform, scrub }),
    live: new LiveFeed(),
    policies,
    resources,
    flows: new FileFlows(resources, policies),
  };
}
