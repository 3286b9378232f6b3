"""Prints what a URL answers, by Qt's QNetworkAccessManager."""

import sys

from PyQt5.QtCore import QCoreApplication, QUrl
from PyQt5.QtNetwork import QNetworkAccessManager, QNetworkProxyFactory, QNetworkReply, QNetworkRequest

application = QCoreApplication(sys.argv)
QNetworkProxyFactory.setUseSystemConfiguration(sys.argv[1] == "system")
manager = QNetworkAccessManager()
reply = manager.get(QNetworkRequest(QUrl(sys.argv[2])))
reply.finished.connect(application.quit)
application.exec()
print(bytes(reply.readAll()).decode())
sys.exit(reply.error() != QNetworkReply.NoError)
