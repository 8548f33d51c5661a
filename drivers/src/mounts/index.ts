// Mounts: makes connectors of declarations. Each is made once, when a process of its tenant or manifest first asks.

import type {
  Connector,
  EmbeddingDriver,
  MountDeclaration,
  MountProvider,
  MountScope,
} from "@aos/protocol";
import type { FindResources } from "../mcp/server-resources.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Egress } from "../web/egress.ts";
import type { DeclaredMount } from "./connector.ts";
import { folderMount } from "./folder-mount.ts";
import { gitMount } from "./git-mount.ts";
import { httpMount } from "./http-mount.ts";
import { mcpMount } from "./mcp-mount.ts";
import { pgvectorMount } from "./pgvector-mount.ts";
import { postgresMount } from "./postgres-mount.ts";
import { s3Mount } from "./s3-mount.ts";
import { sqliteMount } from "./sqlite-mount.ts";
import { vectorMount } from "./vector-mount.ts";

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
  /** The MCP servers of a tenant. */
  readonly resources?: ((tenant: string) => FindResources) | undefined;
  /** What a vector store is searched with. */
  readonly embeddings?: EmbeddingDriver | undefined;
}

export function createMounts({ configured, ...means }: MountProviderOptions): MountProvider {
  // One manifest may be of several tenants.
  const ofManifests = new WeakMap<object, Map<string, ReadonlyMap<string, Connector>>>();
  const ofTenants = new Map<string, ReadonlyMap<string, Connector>>();
  const tenantsMounts = (tenant: string): ReadonlyMap<string, Connector> => {
    let mounts = ofTenants.get(tenant);
    if (mounts === undefined) {
      mounts = new Map(
        Object.entries(configured)
          .filter(([, one]) => isFor(one, tenant))
          .map(([name, { declaration }]) => [
            name,
            mountOf({ name, declaration, declaredBy: "config.yaml" }, tenant, means),
          ]),
      );
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
          mountOf({ name, declaration, declaredBy: "manifest" }, tenant, means),
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

function mountOf(
  declared: DeclaredMount,
  tenant: string,
  { egress, sandbox, resources, embeddings }: Means,
): Connector {
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
    case "mcp":
      return mcpMount({ ...rest, declaration }, resources?.(tenant) ?? (() => undefined));
    case "qdrant":
    case "chroma":
      return vectorMount({ ...rest, declaration }, egress, embeddings);
    case "pgvector":
      return pgvectorMount({ ...rest, declaration }, embeddings);
  }
}
