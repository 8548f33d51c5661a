// RunLink: the id of a run, short, as a link to it.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { shortId } from "./format.ts";

export const RunLink = ({ pid, children }: { pid: string; children?: ReactNode }) => (
  <Link
    to="/runs/$pid"
    params={{ pid }}
    title={pid}
    className="underline decoration-line underline-offset-2 hover:text-ink"
  >
    {children ?? <span className="font-mono text-xs">{shortId(pid)}</span>}
  </Link>
);
