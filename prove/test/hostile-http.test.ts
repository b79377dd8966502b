import { hostileHttp } from '../src/parts/hostile-http.ts';
import { testPart } from './support.ts';

testPart(hostileHttp);
