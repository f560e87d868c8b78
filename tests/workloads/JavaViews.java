// SPDX-License-Identifier: GPL-2.0-only
/* Does a little of all that views show, each below a method of its own: waits that another thread ends, first touches of
 * pages, memory that is kept, file data that is written to the disk, a lock that two want. Usage: FILE; prints "ready". */
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;
import sun.misc.Unsafe;

public class JavaViews {
    static final Semaphore given = new Semaphore(0), taken = new Semaphore(0);
    static final Object lock = new Object();
    static final ArrayDeque<Long> kept = new ArrayDeque<>();
    static Unsafe unsafe;
    static RandomAccessFile out;

    static void takes() throws Exception {
        given.acquire();
        taken.release();
    }

    static void gives() throws Exception {
        given.release();
        taken.acquire();
    }

    static void touches() {
        long size = 100 * 4096, area = unsafe.allocateMemory(size);

        for (long at = 0; at < size; at += 4096)
            unsafe.putByte(area + at, (byte) 1);
        unsafe.freeMemory(area);
    }

    static void keeps() {
        kept.add(unsafe.allocateMemory(50 << 10));
        if (kept.size() > 40)
            unsafe.freeMemory(kept.remove());
    }

    static void syncs() throws Exception {
        out.seek(0);
        out.write(new byte[4096]);
        out.getFD().sync();
    }

    static void wants() throws Exception {
        synchronized (lock) {
            Thread.sleep(2);
        }
    }

    static void works() throws Exception {
        for (;;) {
            takes();
            touches();
            keeps();
            syncs();
            wants();
        }
    }

    static void helps() {
        try {
            for (;;) {
                gives();
                wants();
            }
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");

        field.setAccessible(true);
        unsafe = (Unsafe) field.get(null);
        out = new RandomAccessFile(args[0], "rw");
        Thread helper = new Thread(JavaViews::helps, "helper");
        helper.setDaemon(true);
        helper.start();
        System.out.println("ready");
        works();
    }
}
