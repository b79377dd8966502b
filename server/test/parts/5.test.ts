import { runPart } from '../support/parts.ts';

runPart(import.meta.filename);
