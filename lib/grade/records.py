"""The records of a class: how they are made, written and read. README.md has their schema."""
import json
import math
import os
import stat

import results
from clean import text as clean

VERSION = 1
MOST_RECORD = 4 << 20
VERDICTS = ('pass', 'wrong', 'not-written', 'slow', 'no-verdict', 'fault', 'missing')
CHECKS = ('BUILD', 'CORRECT', 'SAFE', 'MODEL')

def write_json(path, value):
    results.write(path, (json.dumps(value, indent=1, ensure_ascii=False) + '\n').encode('utf-8'))


def read_json(path):
    """The object in a regular file, or None: there is none, or it is damaged."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, 'rb') as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        try:
            value = json.loads(file.read(MOST_RECORD).decode('utf-8'))
        except (ValueError, RecursionError, OSError):
            return None
    return value if isinstance(value, dict) else None


def read_record(path):
    """The record there, or None: there is none, it is damaged or of another version."""
    record = read_json(path)
    if not record or record.get('spw_grade') != VERSION or record.get('verdict') not in VERDICTS:
        return None
    return record


# --- from the judge's records to ours -----------------------------------------------------------------

def number(value, default=0):
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) else default


def figure(value):
    return number(value, None)


def list_of(judged, name):
    value = (judged or {}).get(name)
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def check_of(judged, on_checker):
    name, status = clean(judged.get('name', ''), 64), clean(judged.get('status', ''), 64)
    return {'name': name, 'status': status, 'code': clean(judged.get('code', ''), 64),
            'function': clean(judged.get('function', ''), 128), 'case': clean(judged.get('case', ''), 128),
            'threads': number(judged.get('threads')), 'why': clean(judged.get('message', ''), 8192),
            'testimony': on_checker and status == 'ok' and name in ('CORRECT', 'SAFE', 'TRAFFIC')}


def checks_of(before, judged, on_checker):
    """The judge's; of a second judgement, by the clock, what it has reached, in the place of what was before."""
    later = [check_of(c, on_checker) for c in list_of(judged, 'checks')]
    if before:
        later = [c for c in later if c['status'] != 'not-reached' and (c['status'] != 'ok' or c['name'] not in CHECKS)]
        before = [c for c in before if c['name'] not in {d['name'] for d in later}]
    checks = before + later
    order = {name: k for k, name in enumerate(CHECKS)}
    return sorted(checks, key=lambda c: order.get(c['name'], len(order)))


def fast_of(judged):
    fast = []
    for part in list_of(judged, 'parts'):
        if part.get('timed') is not True:
            continue
        fast.append({'function': clean(part.get('function', ''), 128), 'case': clean(part.get('case', ''), 128),
                     'seconds': figure(part.get('seconds')), 'reference': figure(part.get('reference')),
                     'to_reference': figure(part.get('to_reference')),
                     'roof_share': figure(part.get('share')), 'reference_share': figure(part.get('reference_share')),
                     'low': figure(part.get('low')), 'high': figure(part.get('high')), 'goal': figure(part.get('target')),
                     'stretch': part.get('reached_stretch') is True, 'blocks': number(part.get('blocks')),
                     'disturbed': number(part.get('others')) + number(part.get('stolen')),
                     'verdict': clean(part.get('verdict', ''), 64)})
    return fast


def failed_function(judged):
    """That in which CORRECT or SAFE has failed, or which was wrong when it was timed; ''."""
    for check in list_of(judged, 'checks'):
        if check.get('status') == 'fail' and (check.get('name') in ('CORRECT', 'SAFE') or check.get('code') == 'wrong-value'):
            return clean(check.get('function', ''), 128)
    return ''
