// DataTable: rows of one kind. A column is a row of a list: its name, its cell, and from which width it is shown.

import type { ReactNode } from "react";

export interface TableColumn<T> {
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  readonly isNumber?: boolean;
  /** Hidden on screens narrower than this. */
  readonly from?: "sm" | "md" | "lg";
}

const shownFrom = {
  sm: "hidden sm:table-cell",
  md: "hidden md:table-cell",
  lg: "hidden lg:table-cell",
};

export function DataTable<T>(props: {
  label: string;
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}) {
  const { label, columns, rows, keyOf } = props;
  const place = ({ isNumber, from }: TableColumn<T>) =>
    `${isNumber === true ? "figures text-right whitespace-nowrap" : "text-left"} ${from === undefined ? "" : shownFrom[from]}`;
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-sheet">
      <table className="w-full border-collapse" aria-label={label}>
        <thead className="border-b border-line">
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={`px-3 py-2 text-xs font-medium text-faint first:pl-4 last:pr-4 ${place(column)}`}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="border-b border-line last:border-b-0 hover:bg-raised/60"
            >
              {columns.map((column) => (
                <td
                  key={column.name}
                  className={`px-3 py-2.5 align-baseline first:pl-4 last:pr-4 ${place(column)}`}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
