// Handlers of operations about files. What one process sees is reported by the kernel; what a tenant shares is read
// and written by a process of its own (run-file-call.ts).

import {
  mountTable,
  SysError,
  type FileReport,
  type Found,
  type Json,
  type Label,
  type ListedPage,
  type fileOperations,
} from "@aos/protocol";
import { readLabel } from "@aos/kernel";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GatewayContext, OperationCall } from "../gateway-context.ts";
import { refuseUnnamedSpace, runFileCall, type FileCall } from "../run-file-call.ts";
import type { HandlersOf } from "./handler.ts";
import { labelOf } from "../read-spawn.ts";
import { reportFound } from "./memory.ts";
import { versionHandlers } from "./file-version.ts";

const USUAL_LIMIT = 1000;

interface Whose {
  readonly pid?: string | undefined;
  readonly tenant?: string | undefined;
}

export const fileHandlers: HandlersOf<typeof fileOperations> = {
  async mounts({ kernel }, { pid, tenant }) {
    oneOf({ pid, tenant });
    const connectors = await kernel.connectors(omitUndefined({ pid, tenant }));
    const system = mountTable.map(({ path, driver, guard, isWritable, label, summary }) => ({
      path,
      driver,
      guard,
      writable: isWritable,
      label,
      declaredBy: "system",
      summary,
    }));
    const declared = connectors.map(({ path, driver, label, declaredBy, target }) => ({
      path,
      driver,
      guard: "file" as const,
      writable: false,
      label,
      declaredBy,
      summary: target,
    }));
    return [...system, ...declared];
  },
  listFiles: (gateway, { path = "/", pid, tenant, after, limit = USUAL_LIMIT }, call) =>
    answered(gateway, { call: "list", path, limit, ...omitUndefined({ cursor: after }) }, call, {
      pid,
      tenant,
    }),
  readFile: (gateway, { path, pid, tenant, after, limit }, call) =>
    answered(gateway, { call: "read", path, ...omitUndefined({ cursor: after, limit }) }, call, {
      pid,
      tenant,
    }),
  findFiles: (gateway, { path, query, pid, tenant, limit }, call) =>
    answered(gateway, { call: "search", path, query, ...omitUndefined({ limit }) }, call, {
      pid,
      tenant,
    }),
  writeFile: (gateway, { path, data, tenant, label }, call) =>
    answered(gateway, { call: "write", path, data }, call, {
      tenant,
      ...omitUndefined({ label: labelOf(label) }),
    }),
  removeFile: (gateway, { path, tenant }, call) =>
    answered(gateway, { call: "remove", path }, call, { tenant }),
  async restoreFile(gateway, { path, version, tenant }, call) {
    refuseUnnamedSpace(path);
    const { change, data, label } = await gateway.kernel.fileVersion({ tenant }, path, version);
    const wanted =
      change === "remove" ? { call: "remove" as const } : { call: "write" as const, data };
    return answered(gateway, { ...wanted, path, restores: version }, call, {
      tenant,
      ...(label === null ? {} : { label: readLabel(label) }),
    });
  },
  ...versionHandlers,
};

const NOTHING = {
  entries: [],
  found: [],
  data: null,
  label: null,
  writer: null,
  writtenAt: null,
  next: null,
};

async function answered(
  gateway: GatewayContext,
  wanted: FileCall,
  call: OperationCall,
  { pid, tenant, label }: Whose & { readonly label?: Label },
): Promise<FileReport> {
  oneOf({ pid, tenant });
  const { path } = wanted;
  if (pid !== undefined) {
    const { cursor, ...rest } = wanted;
    const view = await gateway.kernel.files(pid, {
      ...rest,
      ...omitUndefined({ after: cursor }),
    } as Parameters<GatewayContext["kernel"]["files"]>[1]);
    return { ...view, path, pid };
  }
  const { pid: reader, output } = await runFileCall(gateway, wanted, call, {
    tenant,
    ...omitUndefined({ label }),
  });
  return { ...NOTHING, ...shaped(wanted, output), path, pid: reader };
}

function oneOf({ pid, tenant }: Whose): void {
  if (pid !== undefined && tenant !== undefined)
    throw new SysError("EINVAL", "pass a process or a tenant, but not both");
}

function shaped({ call }: FileCall, value: Json): Partial<FileReport> {
  if (call === "read") return { data: value };
  if (call === "search")
    return {
      found: (value as unknown as Found[]).map((one) => ({
        ...reportFound(one),
        ...omitUndefined({ writer: one.writer }),
      })),
    };
  if (call !== "list") return {};
  const { paths, next } = value as unknown as ListedPage;
  const entries = paths.map((path) => ({
    path,
    bytes: null,
    writer: null,
    writtenAt: null,
    label: null,
  }));
  return { entries, next };
}
