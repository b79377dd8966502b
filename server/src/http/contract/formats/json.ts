import { JSON_TYPE } from '../media-types.ts';
import { type ListFormat, pickFields, toLastMembers } from './list-format.ts';

/** One object, with the listings as they are stored. */
export const jsonFormat: ListFormat = {
  mediaType: JSON_TYPE,
  contentType: JSON_TYPE,
  hasDistance: true,
  begin: () => '{"data":[',
  rows: (docs, fields, near) => (fields === undefined ? docs : docs.map((doc) => pickFields(doc, fields, near))),
  separator: ',',
  end: (frame) => `],${toLastMembers(frame)}`,
};
