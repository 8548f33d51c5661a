// Lookups: what the gate asks of the rest of the kernel to describe a call. Drivers, files and other processes decide
// nothing: a call is judged by what it declares to touch.

import type { ModelDriver, Tool, ToolScope, Touch } from "@aos/protocol";
import type { Process } from "../process/process.ts";
import type { FileRow, ProcessRow } from "../store/rows.ts";

/** Tools and models by the names that calls use. */
export interface DeviceLookup {
  /** Whether a tool is there at once: others may have to be got ready first. */
  isPlugged(tool: string): boolean;
  prepare(scope: ToolScope): Promise<void>;
  tool(name: string, scope: ToolScope): Tool;
  model(name: string): ModelDriver;
  connector(name: string, process: Process): Tool;
  /** Whether the mount of this name is also below /mem/semantic. */
  isSemantic(name: string, process: Process): boolean;
  refuseMounted(touches: readonly Touch[], process: Process): void;
}

export interface FileLookup {
  peek(process: Process, path: string): Promise<FileRow | undefined>;
}

/** Finds a process of the same tenant by its pid. */
export type FindProcess = (process: Process, pid: string) => Promise<ProcessRow>;
