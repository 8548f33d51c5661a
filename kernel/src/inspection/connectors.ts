// Connectors for people: what is mounted below /mnt, for a process or for a tenant.

import {
  CONNECTORS,
  DEFAULT_TENANT,
  type Manifest,
  type Connector,
  type ConnectorReport,
  type MountRequest,
} from "@aos/protocol";
import type { Devices } from "../device/devices.ts";
import { labelText } from "../label/label.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow } from "../store/rows.ts";

interface Parts {
  readonly store: Store;
  readonly devices: Devices;
}

export function connectorsOfTenant(
  { devices }: Pick<Parts, "devices">,
  tenantName: string = DEFAULT_TENANT,
): ConnectorReport[] {
  return reported(devices.connectors({ tenantName, manifest: {} }));
}

export async function connectorsOfProcess(
  { store, devices }: Parts,
  { tenant, spec }: ProcessRow,
): Promise<ConnectorReport[]> {
  const text = await store.manifest(tenant, spec.manifestHash);
  const manifest = (text === undefined ? {} : JSON.parse(text)) as Pick<Manifest, "mounts">;
  return reported(devices.connectors({ tenantName: await store.tenantName(tenant), manifest }));
}

const ROOT: MountRequest = { call: "read", path: "x" };

const reported = (mounts: ReadonlyMap<string, Connector>): ConnectorReport[] =>
  [...mounts.values()]
    .map((mount) => ({
      path: `${CONNECTORS}/${mount.name}`,
      driver: mount.driver,
      target: mount.target,
      declaredBy: mount.declaredBy,
      label: labelText(mount.label),
      secrets: mount
        .touches(ROOT)
        .filter(({ kind }) => kind === "secret")
        .map(({ resource }) => resource),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
