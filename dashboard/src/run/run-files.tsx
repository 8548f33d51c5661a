// RunFiles: what a run and its children changed in their workspace; commit and undo where that is possible.

import type { FileChange, ProcessDetail } from "@aos/protocol/words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { SysError } from "@aos/protocol/words";
import { useState } from "react";
import { daemon } from "../api/daemon.ts";
import { me } from "../api/queries.ts";
import { changesOf } from "../api/reports.ts";
import { Button } from "../parts/button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Failure } from "../parts/failure.tsx";
import { Patch } from "../parts/patch.tsx";

/** What git keeps for itself: no change that a person made or wants to read. */
const isGitsOwn = ({ path }: FileChange): boolean => path.startsWith("/work/.git/");

export function RunFiles({ run }: { run: ProcessDetail }) {
  const { data, error, refetch } = useQuery(changesOf(run.pid));
  if (error instanceof SysError && error.code === "ENOENT")
    return (
      <EmptyState title="No workspace">
        A workspace is created when a run first uses files, and removed after its lifetime.
      </EmptyState>
    );
  if (error !== null) return <Failure error={error} again={() => void refetch()} />;
  if (data === undefined) return null;
  const files = data.changes.filter((change) => !isGitsOwn(change));
  const left = data.changes.length - files.length;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3 text-[13px] text-soft">
        <span>
          {data.kind === "copy" ? "A copy of " : "Workspace "}
          <span className="font-mono">{data.project ?? run.workspace.tree}</span>, {data.state}
          {left === 0 ? "" : `; ${left} files of git itself are not shown`}
        </span>
        <WorkspaceActs pid={run.pid} isCopy={data.kind === "copy"} />
      </div>
      {files.length === 0 ? (
        <EmptyState title="No files changed" />
      ) : (
        files.map((file) => <File key={file.path} file={file} />)
      )}
      {(data.notes ?? []).map((note) => (
        <p key={note} className="text-xs text-faint">
          {note}
        </p>
      ))}
    </div>
  );
}

function File({ file: { path, change, kind, isBinary, diff } }: { file: FileChange }) {
  return (
    <section className="overflow-hidden rounded-lg border border-line bg-sheet" aria-label={path}>
      <header className="flex flex-wrap items-baseline gap-x-3 px-4 py-2 text-[13px]">
        <span className="font-mono font-medium">{path}</span>
        <span className="text-soft">
          {change}
          {kind === "file" ? "" : ` ${kind}`}
          {isBinary ? ", binary" : ""}
        </span>
      </header>
      {diff === undefined ? null : <Patch text={diff} />}
    </section>
  );
}

function WorkspaceActs({ pid, isCopy }: { pid: string; isCopy: boolean }) {
  const client = useQueryClient();
  const { data: caller } = useQuery(me);
  const [sure, ask] = useState<"commit" | "undo" | null>(null);
  const acting = useMutation({
    mutationFn: (act: "commit" | "undo") =>
      act === "commit" ? daemon.commit({ pid }) : daemon.undo({ pid }),
    onSettled: () => {
      ask(null);
      return client.invalidateQueries();
    },
  });
  if (caller?.role !== "operator") return null;
  return (
    <div className="flex flex-col items-end gap-2">
      <div className="flex gap-2">
        {sure === null ? (
          <>
            {isCopy ? <Button onClick={() => ask("commit")}>Commit to the project</Button> : null}
            <Button tone="bad" onClick={() => ask("undo")}>
              Undo
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => ask(null)}>Keep as it is</Button>
            <Button tone="bad" disabled={acting.isPending} onClick={() => acting.mutate(sure)}>
              {sure === "commit" ? "Commit all files" : "Undo all changes"}
            </Button>
          </>
        )}
      </div>
      {acting.error === null ? null : <Failure error={acting.error} />}
      {acting.data === undefined ? null : <p role="status">{acting.data.files.length} files</p>}
    </div>
  );
}
