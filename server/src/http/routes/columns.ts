import { suggest } from '../../model/suggest.ts';
import { columnNames, matchColumnsOperation } from '../contract/operations/columns.ts';
import { findTarget, KNOWN_NAMES } from '../contract/schemas/targets.ts';
import { endpoint } from '../endpoint.ts';
import { readInput } from '../protocol/input.ts';
import { replyJson } from '../protocol/reply.ts';

export const columnEndpoints = [
  endpoint(matchColumnsOperation, async (exchange) => {
    const { names } = await readInput(exchange, columnNames);
    return replyJson(200, JSON.stringify({ columns: names.map(matchColumn) }));
  }),
];

function matchColumn(name: string) {
  const isKnown = findTarget(name) !== undefined;
  const meant = isKnown ? name : suggest(name, KNOWN_NAMES);
  return { name, field: meant === undefined ? null : nameOf(meant), isKnown };
}

/**
 * The API's name for a field, even if RESO has a different one. A part of a field, such as `LotSizeAcres`, and a member
 * of `metadata` keep their names.
 */
function nameOf(name: string): string {
  const target = findTarget(name);
  return target === undefined || target.member !== undefined ? name : target.key;
}
