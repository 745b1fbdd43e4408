import HUD
import Terminal
import Testing

private func place(
  _ size: HUDSize, _ corner: Corner = .topRight, _ columns: Int = 80, _ rows: Int = 24
) -> Rect? {
  Placement.place(size, at: corner, in: Size(rows: rows, columns: columns))
}

@Suite struct PlacementTests {
  @Test(arguments: [
    ("line", HUDSize.line), ("small", .small), ("medium", .medium), ("large", .large),
    ("36x9", .cells(Size(rows: 9, columns: 36))), ("1x1", .cells(Size(rows: 1, columns: 1))),
    ("1000x1000", .cells(Size(rows: 1000, columns: 1000))),
  ])
  func `a size is read and written`(text: String, size: HUDSize) {
    #expect(HUDSize(text: text) == size)
    #expect("\(size)" == text)
  }

  @Test(arguments: [
    "", "x", "36x", "x9", "36", "36x9x1", "36X9", "0x9", "36x0", "-36x9", "+36x9", "36x-9",
    "1001x9", "36x1001", " 36x9", "36 x 9", "36×9", "٣٦x9", "3.6x9", "99999999999999999999x9",
    "Medium", "huge",
  ])
  func `nonsense is no size`(text: String) {
    #expect(HUDSize(text: text) == nil)
  }

  @Test(arguments: [
    (HUDSize.line, 52, 1), (.small, 24, 5), (.medium, 38, 5), (.large, 52, 16),
    (.cells(Size(rows: 3, columns: 7)), 7, 3), (.cells(Size(rows: 99, columns: 999)), 79, 24),
  ])
  func `the sizes on 80 by 24`(size: HUDSize, columns: Int, rows: Int) {
    for corner in Corner.allCases {
      let rect = place(size, corner)
      #expect(rect?.rows == rows && rect?.columns == columns)
    }
  }

  @Test func `large is 72 by 20 where that leaves a third of the screen`() {
    #expect(place(.large, .topRight, 200, 50) == Rect(row: 0, column: 127, rows: 20, columns: 72))
    #expect(place(.large, .topRight, 40, 10) == Rect(row: 0, column: 1, rows: 6, columns: 38))
  }

  @Test(arguments: [
    (HUDSize.medium, 44, 8, 38, 4), (.small, 44, 15, 24, 5), (.medium, 20, 3, 19, 1),
    (.medium, 20, 1, 19, 1), (.small, 40, 6, 24, 3),
    (.cells(Size(rows: 9, columns: 36)), 40, 10, 36, 9),
  ])
  func `on a small screen half of the rows stay the program's, unless set otherwise`(
    size: HUDSize, columns: Int, rows: Int, width: Int, height: Int
  ) {
    #expect(
      place(size, .topLeft, columns, rows) == Rect(row: 0, column: 0, rows: height, columns: width))
  }

  @Test(arguments: [
    (Corner.topRight, 0, 41), (.topLeft, 0, 0), (.bottomRight, 19, 41), (.bottomLeft, 19, 0),
  ])
  func `each corner, with the last column free`(corner: Corner, row: Int, column: Int) {
    #expect(place(.medium, corner) == Rect(row: row, column: column, rows: 5, columns: 38))
  }

  @Test func `on every screen the HUD is inside and leaves the last column free`() {
    let sizes: [HUDSize] = [
      .line, .small, .medium, .large, .cells(Size(rows: 1, columns: 1)),
      .cells(Size(rows: 1000, columns: 1000)),
    ]
    for columns in 0...90 {
      for rows in 0...30 {
        for size in sizes {
          for corner in Corner.allCases {
            let rect = place(size, corner, columns, rows)
            let isInside = rect.map {
              $0.row >= 0 && $0.column >= 0 && !$0.isEmpty && $0.endRow <= rows
                && $0.endColumn < columns
            }
            #expect(isInside ?? (rows == 0 || columns < 2), "\(size) on \(columns)x\(rows)")
          }
        }
      }
    }
  }
}
