// Handlers of operations about trusted project folders. The ledger records the trust before it counts.
//
// TRUST-HANDLERS-1  Only what was shown is trusted: the request repeats the digest, and another one is refused.

import {
  DEFAULT_TENANT,
  SysError,
  type TrustedReport,
  type TrustPreview,
  type trustOperations,
} from "@aos/protocol";
import { changesSince } from "../../trust/changes.ts";
import { powersOf } from "../../trust/powers.ts";
import {
  nearestProject,
  trustLedgerDetail,
  type FolderInspection,
} from "../../trust/trust-registry.ts";
import type { TrustRecord } from "../../trust/trust-file.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

export const trustHandlers: HandlersOf<typeof trustOperations> = {
  trustedFolders: async ({ trust }) =>
    trust.list().map((record) => reportOf(record, stateOf(trust, record))),

  async lookAtFolder({ trust }, { folder, tenant = DEFAULT_TENANT, isProject = false }) {
    return lookOf(trust.look(isProject ? nearestProject(folder) : folder, tenant));
  },

  async trustFolder(gateway, { folder, tenant = DEFAULT_TENANT, digest }, { caller }) {
    const { kernel, trust, policy, onAct } = gateway;
    const look = trust.look(folder, tenant);
    if (look.scan.digest !== digest)
      // TRUST-HANDLERS-1
      throw new SysError("ESTATE", `${look.scan.folder} has changed since it was reviewed`, {
        hint: `review it again: aos trust ${look.scan.folder}`,
      });
    if (look.state === "nothing")
      throw new SysError("EINVAL", `${look.scan.folder} contains nothing that needs trust`);
    const said = { folder: look.scan.folder, tenant, digest };
    const record = trust.recordOf(look, caller.name);
    await kernel.enter("trust", caller.name, trustLedgerDetail(record));
    trust.keep(record, look);
    onAct("a folder was trusted", { by: caller.name, ...said });
    await policy.reloadChanged();
    return reportOf(record, "trusted");
  },

  async distrustFolder({ kernel, trust, mcp, onAct }, { folder, tenant = DEFAULT_TENANT }, call) {
    const { name: by } = call.caller;
    const record = trust.find(folder, tenant);
    const said = { folder: record.folder, tenant, digest: record.digest };
    await kernel.enter("trust.remove", by, said);
    trust.forget(record);
    onAct("a folder is no longer trusted", { by, ...said });
    mcp.provider.closeUntrusted();
    return reportOf(record, "changed");
  },
};

const stateOf = (
  trust: GatewayContext["trust"],
  { folder, tenant }: TrustRecord,
): TrustedReport["state"] => (trust.trusted(folder, tenant) === undefined ? "changed" : "trusted");

const reportOf = (
  { folder, tenant, digest, at, by }: TrustRecord,
  state: TrustedReport["state"],
): TrustedReport => ({ folder, tenant, digest, trustedAt: at, trustedBy: by, state });

function lookOf({ scan, tenant, record, state }: FolderInspection): TrustPreview {
  const { folder, digest, problems } = scan;
  const changes = record === undefined ? [] : changesSince(record.entries, scan.entries);
  return { folder, tenant, state, digest, powers: powersOf(scan), changes, problems };
}
