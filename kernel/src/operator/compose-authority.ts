// Composes what holds the store to what was signed apart from it, and who may do what.

import { QuestionAnswering } from "../approval/answering.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { HoldingProof } from "../audit/proof.ts";
import { FleetProof } from "../audit/fleet-proof.ts";
import { ScheduleProof } from "../audit/schedule-proof.ts";
import { SettingsProof } from "../audit/settings-proof.ts";
import { SignedLedger } from "../audit/signed-ledger.ts";
import { isLedger } from "../audit/store-comparison.ts";
import { StoreIntegrity } from "../audit/store-integrity.ts";
import { BackgroundStoreCheck } from "../audit/store-patrol.ts";
import { defaultTimes, type KernelOptions } from "../options.ts";
import { CeilingSeal } from "../process/ceiling-setting.ts";
import type { OpenedVault } from "../secret/secret-store.ts";
import { grantFromAnswer } from "./grant-from-answer.ts";
import { Grants } from "./grants.ts";
import type {
  AuthorityParts,
  LaterParts,
  LifecycleParts,
  ProcessParts,
  ProofParts,
} from "./kernel-parts.ts";
import { StandingGrants } from "./standing-grants.ts";
import { TenantRegistry } from "./tenant-registry.ts";
import { Tokens } from "./tokens.ts";

export function composeProofs(
  parts: ProcessParts,
  options: KernelOptions,
  { vault, keys }: OpenedVault,
  later: LaterParts,
): ProofParts {
  const integrity: StoreIntegrity = new StoreIntegrity({
    ...parts,
    audit: () => audit,
    wake: (key) => later().dormancy.wakeLater(key),
    accepted: async () => {
      await later().tenants.refresh({ all: true });
      await settings.prove();
    },
  });
  const { auditFolder: folder, keyFile } = options;
  const audit: AuditLog = new AuditLog({ ...parts, integrity, folder, keyFile });
  const isWhole = () => !integrity.report().lost.some(({ pid }) => isLedger(pid));
  const signed = new SignedLedger({ store: parts.store, audit: () => audit, isWhole });
  const seal = CeilingSeal.of(options, keys);
  const backed = options.ledgerBacked ?? [];
  const settings = new SettingsProof({ ...parts, signed, seal, vault, backed });
  const patrol = new BackgroundStoreCheck({
    ...parts,
    audit,
    restMs: options.patrolRestMs ?? defaultTimes.patrolRestMs,
    found: (problems) => integrity.damaged(problems),
  });
  return {
    proof: new HoldingProof({ ...parts, signed }),
    seal,
    settings,
    scheduleProof: new ScheduleProof({ store: parts.store, signed }),
    fleetProof: new FleetProof({ store: parts.store, signed }),
    integrity,
    patrol,
    audit,
  };
}

export function composeAuthority(
  parts: ProcessParts,
  options: KernelOptions,
  { vault, keys }: OpenedVault,
  { proof, seal, settings, audit, router }: ProofParts & LifecycleParts,
  later: LaterParts,
): AuthorityParts {
  const { issuer = "agent-os", issuers = {}, leaseMs = defaultTimes.leaseMs } = options;
  const revokedIds = () => proof.revokedIds();
  const grants = new Grants({
    ...parts,
    leaseMs,
    call: (key) => router.call(key),
    isAnnounced: (row, holder) => proof.isAnnounced(row, holder.row),
  });
  const standing = new StandingGrants({
    ...parts,
    grants,
    proven: (rows) => proof.standing(rows),
    call: (key) => router.call(key),
    isSpread: () => later().dormancy.arrivedForAll(),
  });
  const answering = new QuestionAnswering({
    ...parts,
    sign: (text) => audit.sign(text),
    wake: (key) => {
      if (parts.table.get(key) === undefined) router.call(key);
    },
    give: (question, capabilities, how) =>
      grantFromAnswer(parts, grants, question, capabilities, how),
    spread: ({ process }) => standing.spreadFrom(process),
  });
  return {
    vault,
    tokens: new Tokens({ ...parts, keys, issuer, issuers, revokedIds }),
    tenants: new TenantRegistry({ ...parts, seal, proof: settings }),
    grants,
    standing,
    answering,
  };
}
