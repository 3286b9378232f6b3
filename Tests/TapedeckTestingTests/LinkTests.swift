import TapedeckTesting
import Testing
