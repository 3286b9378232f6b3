<?php
$text = file_get_contents($argv[1]);
echo $text;
exit($text === false ? 1 : 0);
