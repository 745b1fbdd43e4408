// A program with two screens that ends right after the last one: Screens.java FILE VISITS MILLISECONDS LEAK_MIB
// It appends its phases to FILE, for `--events FILE`. The canvas keeps LEAK_MIB at each visit, outside the heap.
import java.io.FileOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;

class Screens {
  static FileOutputStream file;

  static void phase(String name) throws Exception {
    file.write(("phase " + name + "\n").getBytes());
  }

  public static void main(String[] words) throws Exception {
    file = new FileOutputStream(words[0], true);
    int visits = Integer.parseInt(words[1]), leak = Integer.parseInt(words[3]);
    long milliseconds = Long.parseLong(words[2]);
    ArrayList<ByteBuffer> kept = new ArrayList<>();
    Thread.sleep(500);
    for (int visit = 0; visit < visits; visit++) {
      phase("gallery");
      Thread.sleep(milliseconds);
      phase("canvas");
      Thread.sleep(20);
      if (leak > 0) {
        ByteBuffer block = ByteBuffer.allocateDirect(leak << 20);
        for (int place = 0; place < block.capacity(); place += 4096) block.put(place, (byte) 1);
        kept.add(block);
      }
      Thread.sleep(milliseconds);
    }
    phase("end");
  }
}
