// RoleRegistry: the roles of the caller: of its trusted project (.agents/roles), of the home (roles), and those that ship.
//
// ROLE-REGISTRY-1  On a name clash the home wins over what ships, and both over a project: no project replaces a role of
//     the operator.
// ROLE-REGISTRY-2  A project's roles count once its folder is trusted, and are the trusted bytes.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type AgentRole, DEFAULT_TENANT, nearest, SysError, type TrustLookup } from "@aos/protocol";
import { readRoleFile } from "./role-file.ts";

const SHIPPED = fileURLToPath(new URL("../../roles", import.meta.url));
const OF_PROJECT = join(".agents", "roles");

export interface FoundRole {
  readonly name: string;
  readonly source: "home" | "system" | "project";
  readonly file: string;
  readonly text: string;
  /** Undefined where it has problems. */
  readonly role: AgentRole | undefined;
  readonly problem: string | null;
}

interface RolePlaces {
  readonly home: { readonly folder: string };
  readonly trust: { readonly trusted: TrustLookup };
}

interface RoleScope {
  readonly cwd?: string | undefined;
  readonly tenant?: string | undefined;
}

/** ROLE-REGISTRY-1, in the order of their names. */
export function rolesFor(places: RolePlaces, scope: RoleScope): FoundRole[] {
  const found = new Map<string, FoundRole>();
  const all = [
    ...folderRoles("home", join(places.home.folder, "roles")),
    ...folderRoles("system", SHIPPED),
    ...projectRoles(places.trust.trusted, scope),
  ];
  for (const role of all) if (!found.has(role.name)) found.set(role.name, role);
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Those of these names, or all that are sound; throws for a name that there is not. */
export function rolesNamed(
  places: RolePlaces,
  scope: RoleScope,
  names: readonly string[] | undefined,
): AgentRole[] {
  const all = rolesFor(places, scope);
  if (names === undefined) return all.flatMap(({ role }) => (role === undefined ? [] : [role]));
  return names.map((name) => validRole(all, name));
}

export function validRole(all: readonly FoundRole[], name: string): AgentRole {
  const found = all.find((one) => one.name === name);
  if (found?.role !== undefined) return found.role;
  if (found !== undefined) throw new SysError("EINVAL", found.problem ?? `${name} has problems`);
  const near = nearest(
    name,
    all.map((one) => one.name),
  );
  throw new SysError("ENOENT", `unknown role ${name}`, {
    hint: `${near === undefined ? "" : `did you mean ${near}? `}aos role ls lists them`,
  });
}

function folderRoles(source: FoundRole["source"], folder: string): FoundRole[] {
  return yamlIn(folder).map((file) =>
    roleIn(source, join(folder, file), readFileSync(join(folder, file), "utf8")),
  );
}

/** ROLE-REGISTRY-2. */
function projectRoles(trusted: TrustLookup, { cwd, tenant = DEFAULT_TENANT }: RoleScope) {
  const project = cwd === undefined ? undefined : trusted(cwd, tenant);
  if (project === undefined) return [];
  return [...project.files].flatMap(([path, bytes]) =>
    dirname(path) === OF_PROJECT && path.endsWith(".yaml")
      ? [roleIn("project", join(project.folder, path), Buffer.from(bytes).toString("utf8"))]
      : [],
  );
}

function roleIn(source: FoundRole["source"], file: string, text: string): FoundRole {
  const name = file.slice(dirname(file).length + 1, -".yaml".length);
  try {
    const role = readRoleFile(text, file);
    const problem = role.name === name ? null : `${file}: its name is ${role.name}, not ${name}`;
    return { name, source, file, text, problem, role: problem === null ? role : undefined };
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    return { name, source, file, text, role: undefined, problem: error.message };
  }
}

function yamlIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith(".yaml"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
