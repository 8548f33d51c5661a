// View: the frame of a view: its heading, what can be done there, and what it shows.

import type { ReactNode } from "react";
import { Title } from "./title.tsx";

export function View(props: {
  title: string;
  tab?: string;
  /** One line below the heading. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { title, tab = title, lead, actions, children } = props;
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-col gap-1">
          <Title tab={tab}>{title}</Title>
          {lead === undefined ? null : <p className="text-[13px] text-soft">{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
