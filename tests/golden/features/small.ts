@problemName small
@timeStamps false
@univariate false
@classLabel true x y
@data
1,2,3:4,5,6:x
1,?:2,3:y
