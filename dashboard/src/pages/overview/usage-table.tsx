import type { Overview } from '../../api/types';
import { formatNumber } from '../../lib/format';
import { OTHERS_COLOR, SERIES_COLORS, totalsByKey } from './usage';

/** The chart's legend, the chart in numbers, and the errors besides. */
export function UsageTable({ usage }: { usage: Overview['usage'] }) {
  return (
    <div className="table-wrap">
      <table className="table" aria-label="Requests by key">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" className="number">
              Requests
            </th>
            <th scope="col" className="number">
              Errors
            </th>
          </tr>
        </thead>
        <tbody>
          {totalsByKey(usage).map(({ id, name, isDeleted, requests, errors }, index) => (
            <tr key={id}>
              <td className="wide">
                <span
                  className="status-dot in-text"
                  style={{ background: SERIES_COLORS[index] ?? OTHERS_COLOR }}
                  aria-hidden
                />
                <bdi>{name}</bdi>
                {isDeleted && ' (deleted)'}
              </td>
              <td className="number">{formatNumber(requests)}</td>
              <td className="number">{formatNumber(errors)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
