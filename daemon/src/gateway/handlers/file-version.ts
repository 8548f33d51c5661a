// Handlers of operations about versions of files. Those of memory are in the journal; a workspace keeps what a file was
// when it was copied, and what it is now.

import { patchText } from "@aos/drivers";
import { mountOf, SysError, type FileDiff, type Json, type fileOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { refuseUnnamedSpace } from "../run-file-call.ts";
import type { HandlersOf } from "./handler.ts";

type Handlers = HandlersOf<typeof fileOperations>;

export const versionHandlers: Pick<Handlers, "fileVersions" | "fileVersion" | "diffFile"> = {
  async fileVersions({ kernel }, { path, pid, tenant, after, limit }) {
    refuseWorkspace(path);
    return kernel.fileVersions(whose(path, pid, tenant), path, omitUndefined({ after, limit }));
  },
  async fileVersion({ kernel }, { path, version, pid, tenant }) {
    refuseWorkspace(path);
    return kernel.fileVersion(whose(path, pid, tenant), path, version);
  },
  async diffFile(gateway, { path, from, to, pid, tenant }) {
    if (isOfWorkspace(path)) return workspaceDiff(gateway, path, { pid, from, to });
    const of = whose(path, pid, tenant);
    const { kernel } = gateway;
    const names = await twoVersions(kernel, of, path, { from, to });
    const read = (version: string) => kernel.fileVersion(of, path, version);
    const after = await read(names.to);
    const before = names.from === null ? undefined : await read(names.from);
    const diff = patchText(path.slice(1), content(before), content(after)) ?? "";
    return { path, ...names, diff: kernel.scrub(diff) };
  },
};

function whose(path: string, pid: string | undefined, tenant: string | undefined) {
  if (pid === undefined) refuseUnnamedSpace(path);
  if (pid !== undefined && tenant !== undefined)
    throw new SysError("EINVAL", "pass a process or a tenant, but not both");
  return omitUndefined({ pid, tenant });
}

const MOST_LISTED = 1000;

/** The version that is asked for, or the last; and the one before it. */
async function twoVersions(
  kernel: GatewayContext["kernel"],
  of: ReturnType<typeof whose>,
  path: string,
  wanted: { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<{ from: string | null; to: string }> {
  const { from, to } = wanted;
  if (from !== undefined && to !== undefined) return { from, to };
  let before: string | undefined; // the newer one of two that follow each other
  let after: string | undefined;
  do {
    const page = await kernel.fileVersions(of, path, {
      limit: to === undefined ? 2 : MOST_LISTED,
      ...omitUndefined({ after }),
    });
    for (const { version } of page.versions) {
      if (to === undefined && from !== undefined) return { from, to: version };
      if (before !== undefined) return { from: version, to: before };
      if (to === undefined || version === to) before = version;
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  if (before !== undefined) return { from: null, to: before };
  throw new SysError("ENOENT", `${path} has no version${to === undefined ? "s" : ` ${to}`}`, {
    hint: "`aos fs log PATH` lists the versions of a file",
  });
}

/** Text as it is, the rest as JSON in lines. */
function content(version: { readonly change: string; readonly data: Json } | undefined) {
  if (version === undefined || version.change === "remove") return undefined;
  const { data } = version;
  const text = typeof data === "string" ? data : `${JSON.stringify(data, null, 2)}\n`;
  const bytes = Buffer.from(text);
  return { kind: "file" as const, mode: 0o644, size: bytes.length, content: bytes };
}

const isOfWorkspace = (path: string): boolean => mountOf(path)?.driver === "workspace";

function refuseWorkspace(path: string): void {
  if (!isOfWorkspace(path)) return;
  throw new SysError("EINVAL", `${path}: a workspace keeps no versions between its start and now`, {
    hint: `\`aos fs diff ${path} --pid PID\` compares the two; \`aos undo PID\` goes back`,
  });
}

async function workspaceDiff(
  { kernel, workspaces }: GatewayContext,
  path: string,
  {
    pid,
    from,
    to,
  }: { pid?: string | undefined; from?: string | undefined; to?: string | undefined },
): Promise<FileDiff> {
  if (from !== undefined || to !== undefined) refuseWorkspace(path);
  if (pid === undefined)
    throw new SysError("EINVAL", `${path} is each tree's own`, {
      hint: "name the process: --pid PID",
    });
  const { tree } = (await kernel.show(pid)).workspace;
  const { changes } = await workspaces.diff(tree, { text: true });
  const change = changes.find((one) => one.path === path);
  return { path, from: "original", to: "current", diff: change?.diff ?? "" };
}
