module go-tapedeck

go 1.19
