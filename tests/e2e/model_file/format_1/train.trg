w7 w5 w2
w3 w3 w4 w7 w0 w1
w2 w3 w2 w6 w7
w4 w0 w2 w1 w0 w6
w7 w4
w5 w2 w7 w6 w6 w6
w2 w0
w6 w4 w6 w4 w3
w0 w5 w3 w6 w5 w6
w3 w1 w5 w2
w7 w7 w1 w1 w4 w4
w1 w5
w6 w6 w4 w0 w2
w0 w0
w4 w0 w3 w4 w5
w1 w1
w2 w4 w4 w6 w3 w0
w5 w5
w7 w6 w6 w2
w4 w3 w6 w4 w1 w6
w6 w0 w5 w4 w4
w5 w0 w2 w6 w0 w5
w0 w7 w4 w5 w5
w4 w7 w4 w5 w0 w0
w5 w5 w2 w5 w2 w5
w2 w0 w1 w6 w4 w4
w5 w3 w4 w3
w1 w1 w6
w1 w2 w7 w3 w5 w5
w3 w4 w7 w3
w3 w0
w1 w5 w4 w2
w7 w4 w4 w6 w2 w5
w6 w6 w4 w6
w2 w6
w6 w7 w0
w3 w5 w4 w7 w0 w3
w1 w4
w3 w0 w0
w2 w1 w7 w0 w0
w1 w0 w6 w0 w3 w4
w0 w7 w4 w2
w1 w1 w3 w3
w2 w4 w3
w6 w7
w3 w4
w5 w7 w0 w6
w2 w0
w0 w1
w0 w7
w5 w7
w5 w1 w5
w3 w4 w5 w4 w6
w0 w2 w1 w6
w7 w5 w0 w2 w1
w7 w5 w0 w6 w0 w6
w0 w7 w6 w6
w1 w4 w3
w5 w0 w2 w6 w3
w1 w7 w1 w4
w7 w0 w1 w5 w1 w6
w0 w6 w3
w5 w0 w2 w6 w1 w1
w1 w0
w3 w0 w1 w4 w4
w0 w1
w3 w2 w3 w1 w2 w5
w5 w6 w5 w4 w6
w2 w6 w3 w6 w1 w6
w2 w2 w6 w2 w7
w7 w7
w2 w3 w4 w2 w2 w7
w3 w4 w6 w4 w3 w5
w6 w7 w4 w0
w3 w5 w2
w7 w6 w2 w7
w6 w1 w7 w0 w7 w3
w3 w7
w4 w3 w1
w2 w4 w3
w2 w4 w0
w2 w5
w4 w1 w1 w1 w1
w5 w7 w5 w0
w5 w0
w1 w7 w6 w6
w2 w6 w7
w1 w6 w1 w4 w1 w5
w7 w5 w5 w1 w4
w1 w5 w1 w4
w2 w2 w4 w0 w5
w1 w7 w5
w5 w2
w4 w7 w7 w2 w4 w6
w2 w1 w1
w6 w4 w4 w1 w5 w6
w0 w2
w6 w5 w5 w3 w4
w2 w1 w7 w5 w1
w2 w1 w1 w1
w2 w6 w6
w3 w2 w2 w3 w6 w2
w7 w0 w4 w5
w4 w7 w4 w5 w6
w3 w1 w0 w3 w0
w3 w3 w3 w7 w2
w1 w7
w0 w1 w7 w2 w2 w4
w3 w5
w5 w5 w5 w0 w7 w1
w1 w0 w1 w2
w6 w3 w1 w3
w1 w5 w7
w1 w6
w7 w6 w2
w4 w7 w3 w6 w1
w7 w7
w4 w0 w7 w2 w7
w6 w5 w7 w5
w4 w3 w0
