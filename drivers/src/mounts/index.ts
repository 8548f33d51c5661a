// Mounts: makes connectors of declarations. Each is made once, when a process of its tenant or manifest first asks.

import type { Connector, MountDeclaration, MountProvider, MountScope } from "@aos/protocol";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Egress } from "../web/egress.ts";
import type { DeclaredMount } from "./connector.ts";
import { folderMount } from "./folder-mount.ts";
import { gitMount } from "./git-mount.ts";
import { httpMount } from "./http-mount.ts";
import { postgresMount } from "./postgres-mount.ts";
import { s3Mount } from "./s3-mount.ts";
import { sqliteMount } from "./sqlite-mount.ts";

/** A mount of config.yaml: for its tenants only. */
export interface ConfiguredMount {
  readonly declaration: MountDeclaration;
  readonly tenants: readonly string[];
}

export interface MountProviderOptions {
  readonly configured: Readonly<Record<string, ConfiguredMount>>;
  readonly egress: Egress;
  /** Where git runs. */
  readonly sandbox: () => Promise<Sandbox>;
}

export function createMounts({ configured, ...means }: MountProviderOptions): MountProvider {
  const operators = new Map(
    Object.entries(configured).map(([name, { declaration }]) => [
      name,
      mountOf({ name, declaration, declaredBy: "config.yaml" }, means),
    ]),
  );
  // One manifest may be of several tenants.
  const ofManifests = new WeakMap<object, Map<string, ReadonlyMap<string, Connector>>>();
  const ofTenants = new Map<string, ReadonlyMap<string, Connector>>();
  const tenantsMounts = (tenant: string): ReadonlyMap<string, Connector> => {
    let mounts = ofTenants.get(tenant);
    if (mounts === undefined) {
      mounts = new Map([...operators].filter(([name]) => isFor(configured[name]!, tenant)));
      ofTenants.set(tenant, mounts);
    }
    return mounts;
  };
  return {
    mounts({ tenant, declared }: MountScope) {
      const own = tenantsMounts(tenant);
      if (declared === undefined) return own;
      const byTenant =
        ofManifests.get(declared) ?? new Map<string, ReadonlyMap<string, Connector>>();
      ofManifests.set(declared, byTenant);
      let mounts = byTenant.get(tenant);
      if (mounts === undefined) {
        const theirs = Object.entries(declared).map(([name, declaration]): [string, Connector] => [
          name,
          mountOf({ name, declaration, declaredBy: "manifest" }, means),
        ]);
        mounts = new Map([...theirs, ...own]);
        byTenant.set(tenant, mounts);
      }
      return mounts;
    },
  };
}

const isFor = ({ tenants }: ConfiguredMount, tenant: string): boolean => tenants.includes(tenant);

type Means = Omit<MountProviderOptions, "configured">;

function mountOf(declared: DeclaredMount, { egress, sandbox }: Means): Connector {
  const { declaration, ...rest } = declared;
  switch (declaration.driver) {
    case "folder":
      return folderMount({ ...rest, declaration });
    case "git":
      return gitMount({ ...rest, declaration }, sandbox);
    case "sqlite":
      return sqliteMount({ ...rest, declaration });
    case "postgres":
      return postgresMount({ ...rest, declaration });
    case "http":
      return httpMount({ ...rest, declaration }, egress);
    case "s3":
      return s3Mount({ ...rest, declaration }, egress);
  }
}
