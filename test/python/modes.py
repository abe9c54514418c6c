"""modes.py MODE TARGET METHOD: makes RPCs in one of the ways in which Python programs make them.

Prints the results of the RPCs in each process, such as "parent: hello" or "child: hello". Each line is printed once,
and the lines are sorted. SIGALRM ends a process that hangs.
"""
import asyncio
import concurrent.futures
import multiprocessing
import os
import signal
import sys

import grpc
import grpc.aio

SECONDS = 5  # the deadline of an RPC
PROCESS_SECONDS = 20
_, MODE, TARGET, METHOD = sys.argv
said = set()


def call(channel, seconds=SECONDS):
    try:
        return channel.unary_unary(METHOD)(b'', timeout=seconds).decode()
    except grpc.RpcError as e:
        return f'{e.code().name}: {e.details()}'
    except ValueError as e:
        return f'ValueError: {e}'


def of_its_own(*_):
    with grpc.insecure_channel(TARGET) as channel:
        return call(channel)


async def aio_calls(count):
    async with grpc.aio.insecure_channel(TARGET) as channel:
        calls = (channel.unary_unary(METHOD)(b'', timeout=PROCESS_SECONDS) for _ in range(count))
        return {answer.decode() for answer in await asyncio.gather(*calls)}


def parent(answer):
    said.add(f'parent: {answer}')


def fork(in_child):
    """Forks one child with os.fork(), without multiprocessing."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(PROCESS_SECONDS)  # an alarm is not inherited
        os.write(writing, in_child().encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said.add(f'child: {answer.read()}')
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        said.add(f'child: ended with {code}')


def processes(method):
    """Uses a pool and a process of multiprocessing, while the parent has a channel."""
    context = multiprocessing.get_context(method)
    channel = grpc.insecure_channel(TARGET)
    parent(call(channel))
    with context.Pool(3) as pool:
        said.update(f'child: {answer}' for answer in pool.map_async(of_its_own, range(9)).get(PROCESS_SECONDS))
    process = context.Process(target=of_its_own)
    process.start()
    process.join(PROCESS_SECONDS)
    if process.exitcode != 0:
        said.add(f'child: ended with {process.exitcode}')
    parent(call(channel))


def threads():
    with grpc.insecure_channel(TARGET) as channel, concurrent.futures.ThreadPoolExecutor(16) as pool:
        for answer in pool.map(lambda _: call(channel, PROCESS_SECONDS), range(2000)):
            parent(answer)


def futures():
    with grpc.insecure_channel(TARGET) as channel:
        for future in [channel.unary_unary(METHOD).future(b'', timeout=PROCESS_SECONDS) for _ in range(500)]:
            parent(future.result().decode())


def aio():
    for answer in asyncio.run(aio_calls(500)):
        parent(answer)


def aio_fork():
    aio()
    fork(lambda: asyncio.run(aio_calls(1)).pop())
    aio()


def fork_before():
    fork(of_its_own)
    parent(of_its_own())


def fork_closed():
    parent(of_its_own())
    fork_before()


def fork_open():
    channel = grpc.insecure_channel(TARGET)
    parent(call(channel))
    fork(of_its_own)
    parent(call(channel))


def fork_unused():
    """The child uses a channel that its parent did not use."""
    channel = grpc.insecure_channel(TARGET)
    fork(lambda: call(channel))
    parent(call(channel))


def fork_share():
    channel = grpc.insecure_channel(TARGET)
    parent(call(channel))
    fork(lambda: call(channel))
    parent(call(channel))


def fork_busy():
    """Forks while another thread makes RPCs."""
    channel = grpc.insecure_channel(TARGET)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        busy = pool.submit(lambda: {call(channel) for _ in range(3000)})
        for _ in range(5):
            fork(of_its_own)
        for answer in busy.result():
            parent(answer)


def multiprocessing_fork():
    processes('fork')


def multiprocessing_spawn():
    processes('spawn')


if __name__ == '__main__':
    signal.alarm(2 * PROCESS_SECONDS)
    globals()[MODE]()
    print('\n'.join(sorted(said)))
