"""Published data sets with and without separation, from their papers' tables."""

import io

import pandas as pd

from common import ROOT


def endometrial():
    """79 cases of endometrial cancer: G. Heinze, M. Schemper, A solution to the problem of separation in logistic regression,
    Statistics in Medicine 21, 2002; data of E. Asseryanis, Vienna; also in A. Agresti, Foundations of Linear and Generalized Linear Models, 2015."""
    return pd.read_csv(ROOT / "examples" / "endometrial.csv")


def sex2():
    """130 women with urinary tract infections and 109 without: B. Foxman et al., Diaphragm use of women with first urinary tract infection,
    Epidemiology 8, 1997; used by Heinze and Schemper's logistf.  Listed as patterns of the columns and how often each occurs."""
    rows = [
        list(map(int, pattern))
        for pattern, count in zip(*[iter(SEX2.split())] * 2, strict=True)
        for _ in range(int(count))
    ]
    return pd.DataFrame(rows, columns=["case", "age", "oc", "vic", "vicl", "vis", "dia"])


def lizards():
    """Counts of two species of lizards: T. W. Schoener, Nonsynchronous spatial overlap of lizards in patchy habitats, Ecology 51, 1970; in P.
    McCullagh, J. A. Nelder, Generalized Linear Models, 1989."""
    return pd.read_csv(io.StringIO(LIZARDS))


def silvapulle():
    """Scores of a general health questionnaire, and psychiatric cases among them: M. J. Silvapulle, On the existence of maximum likelihood
    estimators for the binomial response models, Journal of the Royal Statistical Society B 43, 1981."""
    cases, others = [2, 4, 5, 5, 5, 7, 7, 10], [0] * 18 + [1] * 8 + [2]
    return pd.DataFrame({"ghqs": cases + others, "case": [1] * len(cases) + [0] * len(others)})


SEX2 = """
0000010 1 0001000 2 0001010 1 0001100 8 0001110 18 0010000 42 0010010 1 0011000 1 0011100 5 0011110 6 0101100 2
0101110 4 0110000 14 0110010 1 0111000 1 0111110 2 1000010 1 1001000 14 1001010 3 1001100 10 1001110 12 1001111 1
1010000 44 1010001 3 1011000 15 1011001 1 1011010 2 1011100 7 1011110 3 1101000 2 1101010 1 1101011 1 1101100 1
1101111 1 1110000 5 1111000 3
"""
LIZARDS = """grahami,opalinus,height,diameter,light,time
20,2,<5ft,<=2in,sunny,early
8,1,<5ft,<=2in,sunny,midday
4,4,<5ft,<=2in,sunny,late
13,0,>=5ft,<=2in,sunny,early
8,0,>=5ft,<=2in,sunny,midday
12,0,>=5ft,<=2in,sunny,late
8,3,<5ft,>2in,sunny,early
4,1,<5ft,>2in,sunny,midday
5,3,<5ft,>2in,sunny,late
6,0,>=5ft,>2in,sunny,early
1,1,>=5ft,>2in,sunny,late
34,11,<5ft,<=2in,shady,early
69,20,<5ft,<=2in,shady,midday
18,10,<5ft,<=2in,shady,late
31,5,>=5ft,<=2in,shady,early
55,4,>=5ft,<=2in,shady,midday
13,3,>=5ft,<=2in,shady,late
17,15,<5ft,>2in,shady,early
60,32,<5ft,>2in,shady,midday
8,8,<5ft,>2in,shady,late
12,1,>=5ft,>2in,shady,early
21,5,>=5ft,>2in,shady,midday
4,4,>=5ft,>2in,shady,late
"""
