import { ledger } from '../src/parts/ledger.ts';
import { testPart } from './support.ts';

testPart(ledger);
