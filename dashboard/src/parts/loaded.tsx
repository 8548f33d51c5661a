// Loaded: what a query answered, or its failure, or that it is still under way.

import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./failure.tsx";

export function Loaded<T>(props: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  const { data, error, refetch } = props.query;
  if (data !== undefined) return <>{props.children(data)}</>;
  if (error !== null) return <Failure error={error} again={() => void refetch()} />;
  return (
    <p role="status" className="text-[13px] text-faint">
      Loading …
    </p>
  );
}
