// The kernel, as the operator has it: its methods, family by family. How its parts are put together is in
// compose-kernel.ts.

import type { KernelOptions } from "../options.ts";
import { newPlatform } from "../platform/clock.ts";
import { openVault } from "../secret/secret-store.ts";
import { openStore } from "../store/open.ts";
import {
  powerMethods,
  questionMethods,
  type PowerMethods,
  type QuestionMethods,
  questionReach,
  powerReach,
} from "./authority-methods.ts";
import { checkOptions } from "./check-options.ts";
import { closeKernel } from "./close.ts";
import { composeKernel } from "./compose-kernel.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import {
  collectionMethods,
  type CollectionMethods,
  collectionReach,
} from "./collection-methods.ts";
import { ledgerMethods, type LedgerMethods, ledgerReach } from "./ledger-methods.ts";
import { mailMethods, type MailMethods, mailReach } from "./mail-methods.ts";
import { memoryMethods, type MemoryMethods, memoryReach } from "./memory-methods.ts";
import { OpenKernel } from "./open-kernel.ts";
import { policyMethods, type PolicyMethods, policyReach } from "./policy-methods.ts";
import { processMethods, type ProcessMethods, processReach } from "./process-methods.ts";
import { fleetMethods, type FleetMethods, fleetReach } from "./fleet-methods.ts";
import { scheduleMethods, type ScheduleMethods, scheduleReach } from "./schedule-methods.ts";
import { postMethods, type PostMethods, postReach } from "./post-methods.ts";
import { recordMethods, type RecordMethods, recordReach } from "./record-methods.ts";
import { tenantMethods, type TenantMethods, tenantReach } from "./tenant-methods.ts";
import { toolMethods, type ToolMethods, toolReach } from "./tool-methods.ts";
import { topicMethods, type TopicMethods, topicReach } from "./topic-methods.ts";
import {
  bindProcessOperations,
  type ProcessOperations,
  operationReach,
} from "./process-operations.ts";
import { secretMethods, type SecretMethods, secretReach } from "./secret-methods.ts";
import { storeMethods, type StoreMethods, storeReach } from "./store-methods.ts";

/** The kernel, for those who stand outside it. */
export interface Kernel
  extends
    ProcessMethods,
    ProcessOperations,
    RecordMethods,
    MailMethods,
    TopicMethods,
    ScheduleMethods,
    FleetMethods,
    PostMethods,
    ToolMethods,
    MemoryMethods,
    CollectionMethods,
    QuestionMethods,
    PowerMethods,
    PolicyMethods,
    SecretMethods,
    LedgerMethods,
    TenantMethods,
    StoreMethods {}

/** What a caller of one tenant may ask of each method. */
export const methodReach = {
  ...operationReach,
  ...processReach,
  ...recordReach,
  ...mailReach,
  ...topicReach,
  ...scheduleReach,
  ...fleetReach,
  ...postReach,
  ...toolReach,
  ...memoryReach,
  ...collectionReach,
  ...questionReach,
  ...powerReach,
  ...policyReach,
  ...secretReach,
  ...ledgerReach,
  ...tenantReach,
  ...storeReach,
} as const satisfies Record<keyof Kernel, MethodReach>;

export async function bootKernel(given: KernelOptions = {}): Promise<Kernel> {
  checkOptions(given);
  const platform = given.platform ?? newPlatform();
  const options = { ...given, platform };
  const store = await openStore(options.store ?? "memory", (what) =>
    options.onTrouble?.(what, null),
  );
  let parts: KernelParts | undefined;
  try {
    platform.notBefore(await store.lastGrownAt());
    parts = composeKernel(store, options, await openVault(store, options, platform));
    await parts.audit.open(); // what follows is compared with the signed log
    await parts.tenants.configure(options.tenants ?? {});
    await parts.settings.prove();
    await parts.policies.begin();
    if (options.formerNode !== undefined) await store.dropNode(options.formerNode);
    await parts.fleets.runner.recover();
    await parts.leases.begin();
    await parts.reaper.endOrphans();
    const { router, leases, trouble } = parts;
    await store.listen((keys) => {
      const followed = keys.length === 0 ? leases.look() : router.onNotified(keys);
      followed.catch((error: unknown) => trouble("a notice could not be followed", error));
    });
    parts.dormancy.begin();
    parts.retention.begin();
    await parts.mailSweep.begin();
    parts.patrol.begin();
    parts.tidying.begin();
    await parts.schedules.runner.begin();
    parts.fleets.runner.begin();
    return runningKernel(parts);
  } catch (error) {
    parts?.hush(); // `error` says it all
    if (parts === undefined) await store.close();
    else await closeKernel(parts, new AbortController(), error).catch(() => {});
    throw error;
  }
}

function runningKernel(parts: KernelParts): Kernel {
  const open = new OpenKernel(parts);
  const ledger = ledgerMethods(parts, open);
  return {
    ...processMethods(parts, open),
    ...recordMethods(parts, open),
    ...mailMethods(parts, open),
    ...topicMethods(parts, open),
    ...scheduleMethods(parts, open),
    ...fleetMethods(parts, open),
    ...postMethods(parts, open),
    ...toolMethods(parts, open),
    ...memoryMethods(parts, open),
    ...collectionMethods(parts),
    ...bindProcessOperations(parts, (pid) => open.findRecorded(pid)),
    ...questionMethods(parts, open),
    ...powerMethods(parts, open, ledger.enter),
    ...policyMethods(parts, open, ledger.enter),
    ...secretMethods(parts, open),
    ...ledger,
    ...tenantMethods(parts, open),
    ...storeMethods(parts, open),
  };
}
