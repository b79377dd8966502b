import { JSON_TYPE } from '../media-types.ts';
import { type ListFormat, toLastMembers, toRows } from './list-format.ts';

/** One object. Without `fields`, its listings are sent as they are stored. */
export const jsonFormat: ListFormat = {
  mediaType: JSON_TYPE,
  contentType: JSON_TYPE,
  hasDistance: true,
  begin: () => '{"data":[',
  rows: toRows,
  separator: ',',
  end: (frame) => `],${toLastMembers(frame)}`,
};
